import ArgumentParser
import CleatAPI
import CleatSettings

/// `cleat edit`.
struct EditCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change settings in an editor.",
        usage: "cleat edit [<options>] [<prefix>]",
        discussion: """
            Opens what was committed as JSON5, with what the schema says and the defaults as comments, in $VISUAL, \
            $EDITOR or vi. What differs afterwards is committed as one transaction; what was deleted is unset. On a \
            mistake the same text is opened again with the message at its line. An unchanged or empty text, and an \
            editor that fails, change nothing. Secrets are not shown, and stay unless they are written. Where \
            somebody else has committed meanwhile, you are told what, and asked; without a terminal the text is kept \
            in a file and the status is 75. A signal that ends cleat keeps a changed text, too, and says where.

            Examples:
              cleat edit
              cleat edit network/interfaces --comment "new uplink"
              EDITOR="code --wait" cleat -H root@board edit
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: .init("Name the transaction, so that it can be repeated safely.", valueName: "id"))
    var id: String?

    @Option(name: .shortAndLong, help: .init("The reason, for the log.", valueName: "text"))
    var comment: String?

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @Argument(help: "The path that the settings stand below.", completion: .custom(SettingPathCompletion.paths))
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
        let session = try context.session(for: trial, guardedBy: guarding)
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
