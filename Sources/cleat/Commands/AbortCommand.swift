import ArgumentParser
import CleatAPI

/// `cleat abort`.
struct AbortCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "abort",
        abstract: "Undo the change that is on trial.",
        usage: "cleat abort [<options>] [<id>]",
        discussion: """
            All is as it was before the change, at once. Where not everything could be undone, it ends with 11, and the \
            same command tries again.

            Examples:
              cleat abort
              cleat abort jumbo
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The id of the change; without one, the one that is on trial.")
    var id: String?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.followingSession()
        let id = try session.trialID(id, goesBack: true)
        let end = try session.conclude(TransactionsInterface.Abort.self, .init(id: id))
        try context.console.show(TrialEndView(end: end))
    }
}
