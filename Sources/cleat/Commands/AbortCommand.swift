import ArgumentParser
import CleatAPI

/// `cleat abort`.
struct AbortCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "abort",
        abstract: "Revert the change that is on trial.",
        usage: "cleat abort [<options>] [<id>]",
        discussion: """
            Everything is restored as it was before the change, at once. The exit status is 11 if not everything \
            could be restored; the same command tries again.

            Examples:
              cleat abort
              cleat abort jumbo
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @Argument(help: "The id of the change; without one, the one that is on trial.")
    var id: String?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.changeSession()
        let id = try session.trialID(id, goesBack: true)
        let end = try session.conclude(TransactionsInterface.Abort.self, .init(id: id))
        try context.console.show(TrialEndView(end: end))
    }
}
