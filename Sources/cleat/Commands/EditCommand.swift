import ArgumentParser
import CleatAPI
import CleatSettings

/// `cleat edit`.
struct EditCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change settings in an editor.",
        usage: "cleat edit [<options>] [<prefix>]",
        discussion: """
            Opens the committed settings as JSON5 in $VISUAL, $EDITOR or vi; comments show the schema's descriptions \
            and the defaults. The differences are committed as one transaction; deleted settings are unset. If the \
            text has an error, it is opened again with the message at its line. An unchanged or empty text, or a \
            failed editor, changes nothing. Secrets are not shown, and stay unless they are written. If someone else \
            commits meanwhile, the conflicts are shown and you are asked; without a terminal the text is kept in a \
            file and the exit status is 75. If a signal ends cleat, a changed text is kept, too, and its path is \
            printed.

            Examples:
              cleat edit
              cleat edit network/interfaces --comment "new uplink"
              EDITOR="code --wait" cleat -H root@board edit
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @Option(help: .init("Name the transaction, so that it can be repeated safely.", valueName: "id"))
    var id: String?

    @Option(name: .shortAndLong, help: .init("The reason, for the log.", valueName: "text"))
    var comment: String?

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @Argument(help: "The path above the settings.", completion: .custom(SettingPathCompletion.paths))
    var prefix: String?

    func run(in context: CommandContext) throws(CommandError) {
        var path: SettingPath?
        if let prefix {
            do {
                path = try SettingPath(prefix)
            } catch {
                throw CommandError(APIError.invalidPath(path: prefix, message: "\(error)"))
            }
        }
        let session = try context.changeSession(for: trial, guardedBy: guarding)
        var editing = try EditSettings(
            session: session, prefix: path, id: id, comment: comment, confirm: trial.window?.milliseconds,
            until: trial.until)
        switch try editing.run() {
        case .nothing(let note): try context.console.show(NoteView(note: note, state: "unchanged"))
        case .done(let view):
            try context.console.show(view)
            try trial.follow(view.reply, session, context.console)
        }
    }
}
