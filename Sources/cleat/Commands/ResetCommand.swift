import ArgumentParser
import CleatAPI

/// `cleat reset`.
struct ResetCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Give settings back to factory data and defaults.",
        usage: "cleat reset [<options>] [<prefix>]",
        discussion: """
            One transaction takes away all that was committed, or set until the next boot, below the prefix. Without \
            a prefix that is everything: on a terminal it asks first, elsewhere it wants --yes. The history stays, so \
            `cleat diff` and `cleat log` still know what there was.

            Examples:
              cleat reset network/interfaces/eth0
              cleat reset --yes --comment "factory reset"
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @Flag(name: .shortAndLong, help: "Do not ask before everything is reset.")
    var yes = false

    @Argument(
        help: "The path that is reset, with all below it.", completion: .custom(SettingPathCompletion.paths))
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
        let session = try context.session(for: trial, guardedBy: guarding)
        let reply = try session.change(
            SettingsInterface.Reset.self,
            .init(
                prefix: prefix, id: write.id, expect: try write.reference(session), comment: write.comment,
                confirm: trial.window?.milliseconds, until: trial.until))
        try context.console.show(CommitView(reply: reply))
        try trial.follow(reply, session, context.console)
    }
}
