package import CleatJSON
internal import CleatSettings

/// The rules of a schema file for files and commands that follow its settings (`x-cleat-apply`).
package struct ApplyRules: Sendable {
    /// The keyword, at the top level of the file.
    package static let keyword = "x-cleat-apply"
    /// The maximum number of rules in one file.
    static let maximumCount = 256
    /// The maximum number of bytes of the reason for a reboot.
    static let reasonBytes = 200

    /// The schema file.
    package let file: String
    /// The file rules, in the order of the file.
    package let files: [FileRule]
    /// The command rules, in the order of the file.
    package let commands: [CommandRule]

    /// Reads the rules of a schema file.
    ///
    /// - Parameters:
    ///   - bytes: the text of the file, a schema that was accepted.
    ///   - dialect: its grammar; the service accepts JSON only.
    ///   - file: its path, for errors.
    ///   - context: the context in which names are looked up.
    /// - Returns: the rules; nil if the file has none.
    /// - Throws: all errors in the rules, with file, line and column.
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
        // A setting whose type the schema does not give may hold a secret.
        if paths.contains(where: { context.schema.lookup($0)?.holdsSecrets ?? true }) {
            for index in commands.indices { commands[index].command.tellsOutput = false }
        }
        return ApplyRules(file: file, files: reader.files, commands: commands)
    }
}
