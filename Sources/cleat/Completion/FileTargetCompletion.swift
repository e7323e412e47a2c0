import CleatAPI

/// Completes places on the board by asking the service; offers nothing if the service does not answer.
enum FileTargetCompletion {
    /// The maximum number of places that are offered.
    private static let limit = 256

    /// Returns the areas, or the entries of the directory that is being typed.
    @Sendable static func places(words: [String], index: Int, prefix: String) -> [String] {
        guard let session = CompletionSession.open(words) else { return [] }
        guard let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/")),
            let directory = try? FileTarget(String(prefix[..<slash]))
        else {
            let reply = try? session.call(FilesInterface.Areas.self, .init())
            return (reply?.areas ?? []).map { $0.name + "/" }.filter { $0.utf8.starts(with: prefix.utf8) }
        }
        let reply = try? session.call(
            FilesInterface.List.self, .init(area: directory.area, path: directory.path, limit: limit))
        return (reply?.entries ?? []).map { entry in
            "\(directory.area)/\(entry.path)\(entry.type == .directory ? "/" : "")"
        }.filter { $0.utf8.starts(with: prefix.utf8) }
    }

    /// Returns local files and places on the board.
    @Sendable static func filesAndPlaces(words: [String], index: Int, prefix: String) -> [String] {
        Process.paths(startingWith: prefix, limit: limit) + places(words: words, index: index, prefix: prefix)
    }
}
