import ArgumentParser
import CleatAPI
import CleatSettings
import CleatViews

/// `cleat plan`.
struct PlanCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show the effects of a change without making it.",
        usage: """
            cleat plan [<options>] <path=value> ... [--unset <path>] ...
            cleat plan [<options>] --apply <file>|- [--replace] [--prefix <path>] [--file <path=file>] ...
            cleat plan [<options>] --rollback [<generation>]
            cleat plan [<options>] --reset [<prefix>]
            """,
        discussion: """
            Shows which files and kernel values would change and how, which services would be restarted, which \
            programs would run, whether the board must be rebooted, and whether your connection would stay. Files \
            that are made of secrets, and those that not everyone may read, are named, but not shown.

            With --rehearse the change is made and reverted at once, and everything that it changed is compared byte \
            by byte with its former state; differences are named, and the exit status is 11. Services are restarted \
            twice, watchers see the settings change and change back, and the log has two generations of it. An \
            interrupted rehearsal is reverted when the service starts again.

            Examples:
              cleat plan system/hostname=pump-7 --unset time/ntp/servers
              cleat plan --apply board.json5
              cleat plan --rollback 12
              cleat plan --rehearse system/timezone=Europe/Berlin
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var write: WriteOptions

    @Option(
        help: .init("A setting or a group that is unset.", valueName: "path"),
        completion: .custom(SettingPathCompletion.paths))
    var unset: [String] = []

    @Option(help: .init("Plan what `cleat apply` would do with a file, or - for standard input.", valueName: "file"))
    var apply: String?

    @Flag(help: "With --apply, unset settings that the file does not name.")
    var replace = false

    @Option(
        help: .init("With --apply, change only settings below this path.", valueName: "path"),
        completion: .custom(SettingPathCompletion.paths))
    var prefix: String?

    @Option(
        name: .customLong("file"),
        help: .init(
            "With --apply, a file for the area documents, and its local path. Repeatable.", valueName: "path=file"))
    var files: [DocumentFile] = []

    @Flag(help: "Plan what `cleat rollback` would do.")
    var rollback = false

    @Flag(help: "Plan what `cleat reset` would do.")
    var reset = false

    @Flag(help: "The change lasts until the next boot only.")
    var volatile = false

    @Flag(help: "Make the change, revert it at once, and compare the system with its former state.")
    var rehearse = false

    @Argument(
        help: .init("Settings and their new values; a generation; a prefix.", valueName: "path=value"),
        completion: .custom(SettingPathCompletion.assignments))
    var operands: [String] = []

    func validate() throws {
        guard [apply != nil, rollback, reset].count(where: { $0 }) <= 1 else {
            throw ValidationError("--apply, --rollback and --reset cannot be combined: plan one after the other")
        }
        if apply == nil, replace || prefix != nil { throw ValidationError("--replace and --prefix belong to --apply") }
        if apply == nil, !files.isEmpty { throw ValidationError("--file belongs to --apply") }
        try files.validate(isVolatile: volatile, besides: apply ?? "")
        if rollback || reset || apply != nil {
            guard unset.isEmpty else { throw ValidationError("--unset can be combined with <path=value> only") }
            guard operands.count <= (apply == nil ? 1 : 0) else {
                throw ValidationError("Unexpected argument “\(operands.last?.printable ?? "")”")
            }
        }
        if rollback || reset, volatile {
            throw ValidationError("--volatile can be combined with <path=value> and --apply only")
        }
        if replace, volatile { throw ValidationError("--replace cannot be combined with --volatile") }
        if rehearse, volatile { throw ValidationError("volatile changes cannot be rehearsed: omit --rehearse") }
        if rollback, let number = operands.first, Int64(number) == nil {
            throw ValidationError("“\(number.printable)” is not a valid generation; see `cleat log`")
        }
        if !rollback, !reset, apply == nil, operands.isEmpty, unset.isEmpty {
            throw ValidationError("Missing expected argument '<path=value> ...'")
        }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.changeSession(for: nil)
        let view = try answer(session, context.console)
        try context.console.show(view)
        if view.differs { throw .alreadyReported(.revertFailed) }
    }

    private func answer(_ session: ChangeSession, _ console: Console) throws(CommandError) -> PlanView {
        let plan: Bool? = rehearse ? nil : true
        let rehearse: Bool? = rehearse ? true : nil
        if rollback {
            return PlanView(
                reply: try session.service.call(
                    SettingsInterface.Rollback.self,
                    .init(
                        to: operands.first.flatMap { Int64($0) }, id: write.id,
                        expect: try write.reference(session.service),
                        comment: write.comment, plan: plan, rehearse: rehearse)))
        }
        if reset {
            return PlanView(
                reply: try session.service.call(
                    SettingsInterface.Reset.self,
                    .init(
                        prefix: operands.first, id: write.id, expect: try write.reference(session.service),
                        comment: write.comment, plan: plan, rehearse: rehearse)))
        }
        if let apply {
            let (source, document, path) = try SettingsDocument.read(file: apply, prefix: prefix)
            let documents = try DocumentUploads(files, session.service, console)
            let application = ApplySettings(
                document: try document.adding(documents, from: source), documents: documents, source: source,
                mode: replace ? .replace(path) : .merge, expect: try write.reference(session.service), id: write.id,
                comment: write.comment, volatile: volatile, plan: plan == true, rehearse: rehearse == true)
            let view = try application.run(session)
            return PlanView(reply: view.reply, kept: view.kept)
        }
        return PlanView(reply: try changes().reply(session))
    }

    /// Returns the planned changes of settings.
    func changes() throws(CommandError) -> SetSettings {
        var assignments: [Assignment] = []
        for operand in operands {
            guard let assignment = Assignment(operand) else {
                throw .usage(
                    "\(operand) is not of the form path=value", remedy: "write \(operand)=VALUE, or --unset \(operand)")
            }
            assignments.append(assignment)
        }
        return SetSettings(
            assignments: assignments, removals: unset, expect: write.expect, id: write.id, comment: write.comment,
            volatile: volatile, plan: !rehearse, rehearse: rehearse)
    }
}

/// The request of `cleat plan` for changes of settings.
struct PlanRequest: ServiceRequest {
    let changes: SetSettings

    func run(in context: CommandContext) throws(CommandError) {
        let view = PlanView(reply: try changes.reply(context.changeSession(for: nil)))
        try context.console.show(view)
        if view.differs { throw .alreadyReported(.revertFailed) }
    }
}

extension PlanRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        let write = words.takeWrite()
        let id = words.value("--id")
        let removals = words.values("--unset")
        let rehearse = words.flag("--rehearse")
        changes = SetSettings(
            assignments: words.assignments(), removals: removals, expect: write.expect, id: id,
            comment: write.comment, volatile: words.flag("--volatile"), plan: !rehearse, rehearse: rehearse)
        if changes.assignments.isEmpty, removals.isEmpty { words.leave() }
        if rehearse, changes.volatile { words.leave() }
    }
}
