import CleatJSON

/// Names a text that a person wrote, for messages that say where something is wrong in it.
struct TextFile: Hashable, Sendable {
    /// Its name.
    let name: String

    /// Reads a whole file, or standard input where the path is `-`.
    static func read(_ path: String, limit: Int) throws(CommandError) -> [UInt8] {
        let source = try LocalSource(path: path, upTo: Int64(limit))
        guard source.size <= Int64(limit) else {
            throw .local("\(path) is too large: at most \(limit) bytes are read", remedy: "split it")
        }
        let bytes = try source.read(at: 0, upTo: limit)
        try source.checkUnchanged()
        return bytes
    }

    /// A line about one place of the text, as compilers write it.
    func line(_ position: JSONPosition, _ message: String) -> String {
        "\(name):\(position.line):\(position.column): \(message)"
    }

    /// The error of a text that cannot be taken.
    func refusal(_ complaint: SettingsDocument.Complaint) -> CommandError {
        CommandError(
            status: .invalid, layer: .validate, code: "Text",
            message: line(complaint.position, complaint.message), remedy: "nothing was changed; correct it there",
            parameters: [
                "line": JSONValue(complaint.position.line), "column": JSONValue(complaint.position.column),
            ])
    }
}
