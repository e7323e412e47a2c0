import ArgumentParser
import CleatAPI

/// `cleat reapply`.
struct ReapplyCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "reapply",
        abstract: "Write what the settings say in the place of what was changed outside.",
        usage: "cleat reapply [<options>] (--all | <name> …)",
        discussion: """
            What fails is told, and is as it was before. Ends with 1 where something is left.

            Examples:
              cleat reapply /etc/hostname
              cleat reapply --all
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "All that `cleat drift` lists.")
    var all = false

    @Argument(help: "What `cleat drift` lists, by its name.")
    var names: [String] = []

    func validate() throws {
        if all != names.isEmpty { throw ValidationError("Name what is to be written anew, or give --all.") }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SystemInterface.Reapply.self, .init(names: all ? nil : names))
        try context.console.show(RepairView(results: reply.results, drift: reply.drift))
        if reply.results.contains(where: { $0.state == .failed }) { throw .alreadyTold(.failure) }
    }
}
