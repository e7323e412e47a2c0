package import CleatJSON
internal import CleatSettings

/// What a schema file says of files and commands that follow its settings (`x-cleat-apply`).
package struct ApplyRules: Sendable {
    /// The keyword, at the top of the file.
    package static let keyword = "x-cleat-apply"
    /// The most rules of one file.
    static let maximumCount = 256
    /// The most bytes of the reason for a reboot.
    static let reasonBytes = 200

    /// The schema file.
    package let file: String
    /// The files, in the order of the rules.
    package let files: [FileRule]
    /// The commands, in the order of the rules.
    package let commands: [CommandRule]

    /// Reads the rules of a schema file.
    ///
    /// - Parameters:
    ///   - bytes: the text of the file, which is a schema that was taken.
    ///   - dialect: its grammar; the service takes JSON only.
    ///   - file: its path, for errors.
    ///   - context: what its names are looked up in.
    /// - Returns: nil where it has no rules.
    /// - Throws: all that is wrong with them, with file, line and column.
    package static func read(
        _ bytes: [UInt8], dialect: JSONDialect = .json, file: String, context: ApplyContext
    ) throws(ApplyErrors) -> ApplyRules? {
        let document: JSONValue
        do {
            document = try JSONReader.read(bytes, dialect: dialect, limits: SchemaText.limits)
        } catch {
            throw ApplyErrors(
                [ApplyError(pointer: [], position: error.position, message: error.message)], file: file, in: bytes,
                dialect: dialect)
        }
        var reader = ApplyReader(context: context)
        reader.refuseElsewhere(document)
        guard let rules = document[keyword] else {
            if reader.problems.isEmpty { return nil }
            throw ApplyErrors(reader.problems, file: file, in: bytes, dialect: dialect)
        }
        reader.read(rules)
        if !reader.problems.isEmpty {
            throw ApplyErrors(reader.problems, file: file, in: bytes, dialect: dialect)
        }
        var commands = reader.commands
        let paths = reader.files.flatMap { $0.template.dependencies + $0.when } + commands.flatMap(\.when)
        // Where the schema does not say what a setting holds, it may be a secret.
        if paths.contains(where: { context.schema.lookup($0)?.holdsSecrets ?? true }) {
            for index in commands.indices { commands[index].command.tellsOutput = false }
        }
        return ApplyRules(file: file, files: reader.files, commands: commands)
    }
}
