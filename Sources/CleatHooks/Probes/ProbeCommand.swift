internal import CleatJSON

/// Declares a command that says whether the board is well, as one file in `probes.d` does.
package struct ProbeCommand: Sendable, Hashable {
    /// The file's name without `.json5`, which a client passes.
    package var name: String
    /// The file, for messages.
    package var file: String
    /// The program's absolute path and its arguments.
    package var command: [String]
    /// How long a run may take, in milliseconds; after it the process group is killed.
    package var timeout: Int64

    /// The program's absolute path.
    package var program: String { command.first ?? "" }

    /// How long a run may take where the file does not say, in milliseconds.
    package static let standardTimeout: Int64 = 5_000
    /// The longest time that a file can ask for, in milliseconds.
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
    /// Reads a file's contents: one JSON5 object with `run`, and `timeout` and `comment` where they are needed.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - name: the file's name without `.json5`.
    ///   - file: the file's path, for messages.
    /// - Throws: what is wrong, and where.
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
