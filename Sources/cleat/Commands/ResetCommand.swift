import ArgumentParser
import CleatAPI

/// `cleat reset`.
struct ResetCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Reset settings to factory data and defaults.",
        usage: "cleat reset [<options>] [<prefix>]",
        discussion: """
            One transaction removes all committed and volatile values below the prefix. Without a prefix everything \
            is reset: on a terminal you are asked first, elsewhere --yes is required. The history stays, so `cleat \
            diff` and `cleat log` still show the former values.

            Examples:
              cleat reset network/interfaces/eth0
              cleat reset --yes --comment "factory reset"
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @Flag(name: .shortAndLong, help: "Do not ask before everything is reset.")
    var yes = false

    @Argument(
        help: "The path to reset, with all settings below it.", completion: .custom(SettingPathCompletion.paths))
    var prefix: String?

    func run(in context: CommandContext) throws(CommandError) {
        if prefix == nil, !yes {
            guard Question.canBeAsked else {
                throw .usage(
                    "cleat reset without a prefix resets all settings", remedy: "say so with --yes, or name a prefix")
            }
            guard try Question.ask("Reset all settings to factory data and defaults? [y/N] ", ["y", "yes"]) != nil
            else {
                try context.console.show(NoteView(note: "nothing was changed", state: "unchanged"))
                return
            }
        }
        let session = try context.changeSession(for: trial, guardedBy: guarding)
        let reply = try session.change(
            SettingsInterface.Reset.self,
            .init(
                prefix: prefix, id: write.id, expect: try write.reference(session.service), comment: write.comment,
                confirm: trial.window?.milliseconds, until: trial.until))
        try context.console.show(CommitView(reply: reply))
        try trial.follow(reply, session, context.console)
    }
}
