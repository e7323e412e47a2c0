internal import CleatJSON

/// A command that checks whether the board is well, declared by one file in `probes.d`.
package struct ProbeCommand: Sendable, Equatable {
    /// The file's name without `.json5`, which clients use.
    package var name: String
    /// The path of the file, for messages.
    package var file: String
    /// The program's absolute path and its arguments.
    package var command: [String]
    /// The time limit of a run, in milliseconds; when it expires, the process group is killed.
    package var timeout: Int64

    /// The program's absolute path.
    package var program: String { command.first ?? "" }

    /// The default time limit of a run, in milliseconds.
    package static let standardTimeout: Int64 = 5_000
    /// The longest time limit that a file can set, in milliseconds.
    package static let longestTimeout: Int64 = 60_000

    /// Creates a command.
    package init(name: String, file: String, command: [String], timeout: Int64 = Self.standardTimeout) {
        self.name = name
        self.file = file
        self.command = command
        self.timeout = timeout
    }
}

extension ProbeCommand {
    /// Reads a file's contents: one JSON5 object with `run`, and optionally `timeout` and `comment`.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - name: the file's name without `.json5`.
    ///   - file: the file's path, for messages.
    /// - Throws: the error, with its line and column.
    package init(_ bytes: [UInt8], name: String, file: String) throws(HookFileError) {
        let document: (value: JSONValue, locations: JSONLocations)
        do {
            document = try JSONReader.readWithLocations(bytes, dialect: .json5)
        } catch {
            throw HookFileError(at: error.position, error.message)
        }
        let top = HookFileNode(value: document.value, pointer: [], locations: document.locations)
        try top.checkMembers(["run", "timeout", "comment"])
        _ = try top.member("comment")?.string()
        guard let run = try top.member("run") else {
            throw HookFileError(
                at: top.position, "run is missing; name the program and its arguments, as in run: [\"/bin/true\"]")
        }
        self.init(
            name: name, file: file, command: try HookFile.command(run),
            timeout: try top.member("timeout")?.milliseconds(in: 1...Self.longestTimeout) ?? Self.standardTimeout)
    }
}
