import CleatJSON

/// The name of a text that a user wrote, for messages with positions in it.
struct TextFile: Hashable, Sendable {
    /// The name.
    let name: String

    /// Reads a whole file, or standard input if the path is `-`.
    static func read(_ path: String, limit: Int) throws(CommandError) -> [UInt8] {
        let source = try LocalSource(path: path, upTo: Int64(limit))
        guard source.size <= Int64(limit) else {
            throw .local("\(path) is too large: at most \(limit) bytes are read", remedy: "split it")
        }
        let bytes = try source.read(at: 0, upTo: limit)
        try source.checkUnchanged()
        return bytes
    }

    /// Returns a message with its position in the text, in the format of compilers.
    func line(_ position: JSONPosition, _ message: String) -> String {
        "\(name):\(position.line):\(position.column): \(message)"
    }

    /// Returns the error for an invalid text.
    func refusal(_ problem: SettingsDocument.Problem) -> CommandError {
        CommandError(
            status: .invalid, layer: .validate, code: "Text",
            message: line(problem.position, problem.message), remedy: "nothing was changed; correct it there",
            parameters: [
                "line": JSONValue(problem.position.line), "column": JSONValue(problem.position.column),
            ])
    }
}
