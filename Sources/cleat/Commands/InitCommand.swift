import ArgumentParser
import CleatAPI
import CleatSettings
import CleatViews

/// `cleat init`.
struct InitCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make settings of the present configuration of the system.",
        usage: "cleat init [<options>]",
        discussion: """
            The host name, the time zone, time servers, network interfaces, name servers and kernel parameters, as \
            others have configured them, become settings in one change. The kernel's state is the same afterwards, and \
            so are the files of others, except those that the plan lists. What settings cannot express is listed with its \
            file and line, and stays as it is. Settings that are set are not changed.

            On a terminal you are asked before the change is made; elsewhere --yes is required.

            Examples:
              cleat init --dry-run
              cleat init --yes --confirm 2m
              cleat -H root@board init --dry-run --output json
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @Flag(help: "Print the settings and the plan, and change nothing.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask before the change is made.")
    var yes = false

    func run(in context: CommandContext) throws(CommandError) {
        // A program reads one document.
        guard dryRun || yes || Question.canBeAsked && context.console.renderer.form == .text else {
            throw .usage(
                "cleat init asks before it makes settings, in text on a terminal",
                remedy: "see them with --dry-run, then use --yes")
        }
        let session = try context.changeSession(for: trial, guardedBy: guarding)
        let found = try SystemImport(session.service)
        let view = InitView(
            settings: found.settings, skipped: found.skipped, omitted: found.omitted, plan: found.plan)
        if dryRun || found.settings.isEmpty { return try context.console.show(view) }
        if !yes {
            try context.console.show(view)
            guard try Question.ask("Make these settings? [y/N] ", ["y", "yes"]) != nil else {
                return try context.console.show(NoteView(note: "nothing was changed", state: "unchanged"))
            }
        }
        let reply = try session.set(
            .init(
                changes: found.changes, id: write.id, expect: try write.reference(session.service),
                comment: write.comment ?? "cleat init", confirm: trial.window?.milliseconds, until: trial.until))
        try context.console.show(CommitView(reply: reply))
        if yes {
            var page = TextPage(colour: false)
            for part in found.skipped { page.line(.init("cleat: \(part.text)")) }
            if found.omitted > 0 { page.line(.init("cleat: and \(found.omitted) more")) }
            Console.printError(page.text)
        }
        try trial.follow(reply, session, context.console)
    }
}
