import ArgumentParser
import CleatAPI

/// `cleat hook list`.
struct HookListCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the hooks, how they fared, and which files are not in force.",
        usage: "cleat hook list [<options>]",
        discussion: """
            Examples:
              cleat hook list
              cleat hook list --output json
            """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(HooksInterface.List.self, .init())
        let view = HookListView(reply: reply)
        try context.console.show(view)
    }
}
