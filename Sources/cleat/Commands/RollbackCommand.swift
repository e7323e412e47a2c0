import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat rollback`.
struct RollbackCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Restore the settings of an earlier generation.",
        usage: "cleat rollback [<options>] [<generation>]",
        discussion: """
            One transaction restores the committed settings of that generation; it is a new generation, so nothing of \
            the history is lost and a rollback can be rolled back. Without a number, your own newest change that is \
            in force is rolled back; reverted and rehearsed changes are skipped. If others, or hooks, have made \
            changes since, you are asked; without a terminal they are named and the exit status is 75. Generation 0 \
            is the empty store. `cleat diff GENERATION` shows the changes since a generation.

            Examples:
              cleat rollback
              cleat rollback 12 --comment "as before the update"
              cleat rollback 12 --check
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @Flag(help: "Check the changes and show them, but change nothing.")
    var check = false

    @Argument(help: "The generation to restore; default: the one before your newest change in force.")
    var generation: Int64?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.changeSession(for: trial, guardedBy: guarding)
        let expect = try write.reference(session.service)
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
            Console.printError("\(error.message.printable)\n")
            guard let number = try Question.askNumber("Roll back to generation: ") else { throw error }
            reply = try rollback(to: number)
        }
        try context.console.show(CommitView(reply: reply))
        try trial.follow(reply, session, context.console)
    }
}
