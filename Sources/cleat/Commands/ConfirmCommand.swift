import ArgumentParser
import CleatAPI

/// `cleat confirm`.
struct ConfirmCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Keep the change that is on trial.",
        usage: "cleat confirm [<options>] [<id>]",
        discussion: """
            A change made with --confirm is in force, and reverts unless it is confirmed in time, from any address \
            and in any session. Confirming a confirmed change again is not an error.

            Examples:
              cleat set network/interfaces/eth0/mtu=9000 --confirm 2m --id jumbo
              cleat confirm jumbo
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @Argument(help: "The id of the change; without one, the one that is on trial.")
    var id: String?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.changeSession()
        let id = try session.trialID(id)
        let end = try session.conclude(TransactionsInterface.Confirm.self, .init(id: id))
        session.board.rememberAddress()
        try context.console.show(TrialEndView(end: end))
    }
}
