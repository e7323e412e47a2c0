import CleatAPI
import CleatJSON
import CleatViews

/// Prints transferred files: the output of `cleat file put` and `cleat file get`.
struct FileTransferView: TextPresentable, JSONPresentable {
    /// One file.
    struct Item: Hashable, Sendable {
        /// The local file; `-` for standard input or output.
        var local: String
        /// The file on the board.
        var target: FileTarget
        /// The size, in bytes.
        var size: Int64
        /// The SHA-256 that both sides have computed.
        var sha256: String
        /// The size of the part that an earlier command had transferred, in bytes.
        var resumedAt: Int64 = 0
    }

    /// A skipped file.
    struct Skipped: Hashable, Sendable {
        /// The name on the side that it would have come from.
        var name: String
        /// The reason.
        var reason: String
    }

    /// The direction of the transfer.
    enum Way: Hashable, Sendable { case put, get }

    var way: Way
    var items: [Item] = []
    var skipped: [Skipped] = []

    func write(to page: inout TextPage) {
        for item in items {
            var ends = [TextSpan(item.local), TextSpan(item.target.description, .name)]
            if way == .get { ends.reverse() }
            var spans = [ends[0], TextSpan(" -> "), ends[1], TextSpan("  \(item.size.shownBytes)", .faint)]
            if item.resumedAt > 0 {
                spans.append(TextSpan("  (\(item.resumedAt.shownBytes) were there)", .faint))
            }
            page.line(spans)
        }
        for skipped in skipped {
            page.line(.init("skipped ", .bad), .init(skipped.name), .init(": \(skipped.reason)"))
        }
    }

    var json: JSONValue {
        [
            "files": .array(items.map(Self.json)), "skipped": .array(skipped.map(Self.json)),
            "bytes": .integer(items.reduce(0) { $0 + $1.size }),
        ]
    }

    var jsonLines: [JSONValue] { items.map(Self.json) + skipped.map(Self.json) }

    private static func json(_ item: Item) -> JSONValue {
        var object: JSONObject = [
            "local": .string(item.local), "area": .string(item.target.area), "path": .string(item.target.path),
            "size": .integer(item.size), "sha256": .string(item.sha256),
        ]
        if item.resumedAt > 0 { object["resumed_at"] = .integer(item.resumedAt) }
        return .object(object)
    }

    private static func json(_ skipped: Skipped) -> JSONValue {
        ["skipped": .string(skipped.name), "reason": .string(skipped.reason)]
    }
}
