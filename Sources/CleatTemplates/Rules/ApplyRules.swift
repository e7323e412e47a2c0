package import CleatJSON
package import CleatSandbox
package import CleatSettings

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
        var files = reader.files
        let paths = reader.files.flatMap { $0.template.dependencies + $0.when } + commands.flatMap(\.when)
        // A setting whose type the schema does not give may hold a secret.
        if paths.contains(where: { context.schema.lookup($0)?.holdsSecrets ?? true }) {
            for index in commands.indices { commands[index].command.showsOutput = false }
            for index in files.indices { files[index].check?.showsOutput = false }
        }
        return ApplyRules(file: file, files: files, commands: commands)
    }
}

/// A file that is rendered from a template.
package struct FileRule: Sendable {
    /// The maximum number of bytes of the path.
    static let pathBytes = 1_024

    /// The absolute path of the file on the system.
    package let path: String
    /// The template of the content.
    package let template: Template
    /// The permission bits.
    package let permissions: UInt16
    /// The owner; nil to keep the present owner, or for the service's own user if the file is new.
    package let owner: FileOwner?
    /// True if the file is removed when the template renders to blanks only.
    package let removesEmpty: Bool
    /// The settings and groups of which at least one must be set for the file to be managed.
    package let when: [SettingPath]
    /// The declaration of the file for the sandbox.
    package let declaration: ManagedFileDeclaration
    /// The reason why its content needs a reboot to take effect, as the end of a sentence; nil if none is needed.
    package let reboot: String?
    /// The program that checks a new content before it is written; nil if none does.
    ///
    /// ``contentName`` in its arguments stands for the path of a file with that content.
    package internal(set) var check: RuleCommand?
    /// True if a new content may keep clients from connecting, as a firewall's rules may.
    package let mayDisconnect: Bool
    /// True if only root and the service's own user may change the settings that the file is made of.
    package let isPrivileged: Bool

    /// The text in the arguments of ``check`` that stands for a path.
    package static let contentName = "{file}"
}

/// A command that runs when settings, or files of the same rules, have changed.
package struct CommandRule: Sendable, Hashable {
    /// The maximum number of elements of the command.
    static let arguments = 64
    /// The maximum number of bytes of one element.
    static let argumentBytes = 4_096
    /// The maximum run time in milliseconds.
    static let longestTime: Int64 = 600_000

    /// The settings and groups of which at least one must have changed.
    package let when: [SettingPath]
    /// The files of which at least one must have changed.
    package let files: [String]
    /// The command.
    package internal(set) var command: RuleCommand
    /// The reason why its effect needs a reboot, as the end of a sentence; nil if none is needed.
    package let reboot: String?
}

/// The program that a rule runs.
package struct RuleCommand: Sendable, Hashable {
    /// The command as text for users: `reload dropbear.service`.
    package let title: String
    /// The service that is reloaded; nil if there is none.
    package let service: String?
    /// The program: a path, or a name that is looked up.
    package let program: String
    /// Its arguments.
    package let arguments: [String]
    /// A path that exists while the service of the program runs; nil if the program is always run.
    package let needs: String?
    /// The longest time that the program may run.
    package let timeLimit: Duration
    /// True if error messages may quote the output; false if the output may hold a secret.
    package internal(set) var showsOutput = true

    /// Returns the command with a path in its arguments, wherever they have ``FileRule/contentName``.
    package func naming(_ path: String) -> RuleCommand {
        RuleCommand(
            title: title, service: service, program: program,
            arguments: arguments.map { $0.substituting(FileRule.contentName, by: path) }, needs: needs,
            timeLimit: timeLimit, showsOutput: showsOutput)
    }
}
