import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat extend`.
struct ExtendCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend",
        abstract: "Set a new confirm window for the change on trial.",
        usage: "cleat extend [<options>] <duration> [<id>]",
        discussion: """
            The window starts now; it may be shorter than the remaining time.

            Examples:
              cleat extend 10m
              cleat extend 30s jumbo
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The new confirm window (1s to 1d).", transform: TrialWindow.parse)
    var duration: TrialWindow

    @Argument(help: "The id of the change; without one, the one that is on trial.")
    var id: String?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.changeSession()
        let id = try session.trialID(id)
        let reply = try session.conclude(
            TransactionsInterface.Extend.self, .init(id: id, window: duration.milliseconds))
        try context.console.show(TrialView(trial: reply.trial))
        session.board.warnOfUnenforcedWindow()
    }
}
