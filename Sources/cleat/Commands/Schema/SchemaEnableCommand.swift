import ArgumentParser
import CleatAPI

/// `cleat schema enable`.
struct SchemaEnableCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Enable schemas that are installed with Cleat.",
        usage: "cleat schema enable [<options>] <name> ...",
        discussion: """
            The schema's file is copied to the administrator's schema.d, and its settings can be set at once. Nothing \
            of the system changes until one of them is set. Only root and the service's own user may do it.

            Examples:
              cleat schema list
              cleat schema enable sshd
              cleat describe services/ssh
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The schema's name, as in `cleat schema list`.")
    var names: [String]

    func run(in context: CommandContext) throws(CommandError) {
        try Self.enable(names, true, in: context)
    }

    /// Enables or disables schemas, and prints the outcome of each.
    static func enable(_ names: [String], _ isEnabled: Bool, in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        for name in names {
            let reply = try session.call(SettingsInterface.EnableSchema.self, .init(name: name, enabled: isEnabled))
            try context.console.show(InstalledSchemaView(name: name, isEnabled: isEnabled, reply: reply))
        }
    }
}

/// `cleat schema disable`.
struct SchemaDisableCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable schemas that are installed with Cleat.",
        usage: "cleat schema disable [<options>] <name> ...",
        discussion: """
            The schema's file is removed from the administrator's schema.d. None of its settings may be set: unset them \
            first, which restores what they have changed. Only root and the service's own user may do it.

            Examples:
              cleat unset services/ssh && cleat schema disable sshd
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The schema's name, as in `cleat schema list`.")
    var names: [String]

    func run(in context: CommandContext) throws(CommandError) {
        try SchemaEnableCommand.enable(names, false, in: context)
    }
}

/// `cleat schema list`.
struct SchemaListCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the schemas that are installed with Cleat.",
        usage: "cleat schema list [<options>]",
        discussion: """
            The state is `enabled`, `disabled`, or `changed` if the file of that name in schema.d differs from the \
            installed one.

            Examples:
              cleat schema list
              cleat -H root@board schema list --output json
            """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SettingsInterface.InstalledSchemas.self, .init())
        try context.console.show(InstalledSchemaListView(reply: reply))
    }
}
