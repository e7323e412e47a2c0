import ArgumentParser
import CleatAPI

/// `cleat status`.
struct StatusCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say how the service is.",
        usage: "cleat status [<options>]",
        discussion: """
            Ends with 11 where a change could not be undone as a whole.

            Examples:
              cleat status
              cleat status --counters
              cleat -H root@board status --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Show also what was counted since the start: events, hooks, losses.")
    var counters = false

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(ServiceInterface.Status.self, .init())
        try context.console.show(StatusView(status: reply, showsCounters: counters))
        if reply.trial?.phase == .revertFailed { throw .alreadyTold(.revertFailed) }
    }
}
