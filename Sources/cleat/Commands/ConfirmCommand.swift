import ArgumentParser
import CleatAPI

/// `cleat confirm`.
struct ConfirmCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Keep the change that is on trial.",
        usage: "cleat confirm [<options>] [<id>]",
        discussion: """
            A change made with --confirm is in force, and undone by itself unless somebody keeps it in time: from any \
            address, and in any session. To confirm again what is confirmed is no error.

            Examples:
              cleat set network/interfaces/eth0/mtu=9000 --confirm 2m --id jumbo
              cleat confirm jumbo
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The id of the change; without one, the one that is on trial.")
    var id: String?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.followingSession()
        let id = try session.trialID(id)
        let end = try session.conclude(TransactionsInterface.Confirm.self, .init(id: id))
        session.rememberAddress()
        try context.console.show(TrialEndView(end: end))
    }
}
