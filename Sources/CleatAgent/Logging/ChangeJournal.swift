import CleatAPI
import Logging

/// Writes one line to the log for each change of the board, at level notice, so that the board's journal shows its
/// outcome and time: `commit generation=12 id=move author=root paths=system/hostname result="wrote /etc/hostname; …"`.
///
/// Values are never in it.
struct ChangeJournal: Sendable {
    /// The kind of change.
    enum Verb: String, Sendable {
        /// Settings were stored, and the system follows them.
        case commit
        /// Settings are in force until they are confirmed or their confirm window ends.
        case trial
        /// A change was reverted.
        case revert
        /// A change could not be reverted completely.
        case revertFailed = "revert-failed"
        /// The settings were applied to the system, without a change of settings.
        case write
        /// Other services of the board run now, and settings are applied by those.
        case services
    }

    private static let pathsLimit = 8
    private static let resultLimit = 512
    private let log: Logger?

    /// Creates a journal that writes to a log; nil for none.
    init(_ log: Logger?) { self.log = log }

    /// Writes one line.
    ///
    /// - Parameters:
    ///   - verb: The kind of change.
    ///   - generation: The generation in force from now on.
    ///   - id: The id of the change; nil if it has none.
    ///   - author: The user who made it.
    ///   - paths: The settings that it is about.
    ///   - result: The outcome as text.
    func note(
        _ verb: Verb, generation: Int64, id: String? = nil, author: String, paths: some Sequence<String>,
        result: String
    ) {
        let all = Array(paths)
        var named = all.prefix(Self.pathsLimit).joined(separator: ",")
        if all.count > Self.pathsLimit { named += ",+\(all.count - Self.pathsLimit)" }
        var words = result
        if words.utf8.count > Self.resultLimit {
            words = String(decoding: words.utf8.prefix(Self.resultLimit), as: UTF8.self) + "…"
        }
        let fields = [
            ("generation", String(generation)), ("id", id ?? "-"), ("author", author),
            ("paths", named.isEmpty ? "-" : named), ("result", words),
        ]
        let line = fields.map { "\($0.0)=\(Self.quoted($0.1))" }.joined(separator: " ")
        log?.notice("\(verb.rawValue) \(line)")
    }

    /// Returns one word as it is, and any other text in quotation marks.
    private static func quoted(_ text: String) -> String {
        func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
        let isWord =
            !text.isEmpty
            && text.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "=") && !isMark($0) }
        if isWord { return text }
        var quoted = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if isMark(byte) { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        return String(decoding: quoted + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}

extension [AdapterResult] {
    /// The messages of what adapters did, joined; results that were not applied are omitted unless there are no others.
    var words: String? {
        let applied = filter { $0.state != .notApplied }
        let shown = applied.isEmpty ? self : applied
        return shown.isEmpty ? nil : shown.map(\.message).joined(separator: "; ")
    }
}
