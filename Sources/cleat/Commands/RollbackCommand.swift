import ArgumentParser
import CleatAPI

/// `cleat rollback`.
struct RollbackCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Bring back the settings of an earlier generation.",
        usage: "cleat rollback [<options>] [<generation>]",
        discussion: """
            One transaction makes the committed settings what they were then; it is a new generation, so nothing of the \
            history is lost and a rollback can be rolled back. Without a number it goes back to before your own newest change \
            that is in force: what was undone or rehearsed is passed over. Where others, or hooks, have changed \
            something since, it asks, or names them and ends with 75. 0 is the empty store. `cleat diff GENERATION` \
            shows what has changed since.

            Examples:
              cleat rollback
              cleat rollback 12 --comment "as before the update"
              cleat rollback 12 --check
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @Flag(help: "Check the changes and show them, but change nothing.")
    var check = false

    @Argument(help: "The generation to go back to; else that before your newest change in force.")
    var generation: Int64?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session(for: trial, guardedBy: guarding)
        let expect = try write.reference(session)
        func rollback(to generation: Int64?) throws(CommandError) -> SettingsInterface.Set.Reply {
            try session.change(
                SettingsInterface.Rollback.self,
                .init(
                    to: generation, id: write.id, expect: expect, comment: write.comment, check: check ? true : nil,
                    confirm: trial.window?.milliseconds, until: trial.until))
        }
        let reply: SettingsInterface.Set.Reply
        do throws(CommandError) {
            reply = try rollback(to: generation)
        } catch {
            guard generation == nil, expect == nil, error.code == "Conflict", Question.canBeAsked else { throw error }
            Console.complain("\(error.message.printable)\n")
            guard let number = try Question.askNumber("Go back to generation: ") else { throw error }
            reply = try rollback(to: number)
        }
        try context.console.show(CommitView(reply: reply))
        try trial.follow(reply, session, context.console)
    }
}
