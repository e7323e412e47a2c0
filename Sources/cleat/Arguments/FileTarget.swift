import CleatAPI

/// A place on the board, as typed: `AREA/path`.
struct FileTarget: Hashable, Sendable, CustomStringConvertible {
    /// The area.
    let area: String
    /// The path within the area; empty for the area itself.
    let path: String
    /// True if the text ends in a slash, so that only a directory can be meant.
    let endsInSlash: Bool

    init(area: String, path: String, endsInSlash: Bool = false) {
        self.area = area
        self.path = path
        self.endsInSlash = endsInSlash
    }

    /// Parses `AREA`, `AREA/` or `AREA/path`.
    ///
    /// The service validates the path.
    init(_ text: String) throws(CommandError) {
        let bytes = text.utf8
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        guard slash != bytes.startIndex else {
            throw .usage(
                text.isEmpty ? "a path on the board is missing" : "\(text) names no area",
                remedy: "write AREA/PATH, such as documents/certs/ca.pem; `cleat file df` lists the areas")
        }
        area = String(text[..<slash])
        guard slash != bytes.endIndex else {
            (path, endsInSlash) = ("", false)
            return
        }
        var end = bytes.endIndex
        let start = bytes.index(after: slash)
        while end > start, bytes[bytes.index(before: end)] == UInt8(ascii: "/") { end = bytes.index(before: end) }
        path = String(text[start..<end])
        endsInSlash = end != bytes.endIndex || path.isEmpty
    }

    /// Returns the place of a name, or a relative path, below this one.
    func appending(_ name: String) -> FileTarget {
        FileTarget(area: area, path: path.isEmpty ? name : "\(path)/\(name)")
    }

    /// The last name of the path; nil for the area itself.
    var name: String? { path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } }

    /// The text, without a trailing slash.
    var description: String { path.isEmpty ? area : "\(area)/\(path)" }

    /// The place as a parameter of a call.
    var place: FilesInterface.Place { .init(area: area, path: path) }
}
