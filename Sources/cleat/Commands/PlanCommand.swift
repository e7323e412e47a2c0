import ArgumentParser
import CleatAPI
import CleatSettings

/// `cleat plan`.
struct PlanCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what a change would do to the board, without making it.",
        usage: """
            cleat plan [<options>] <path=value> ... [--unset <path>] ...
            cleat plan [<options>] --apply <file>|- [--replace] [--prefix <path>] [--file <path=file>] ...
            cleat plan [<options>] --rollback [<generation>]
            cleat plan [<options>] --reset [<prefix>]
            """,
        discussion: """
            Says which files would change and how, which values of the kernel, which services would be restarted and \
            programs run, whether the board must be rebooted, and whether the connection that you come by would stay. \
            Files that are made of secrets, and those that not everybody may read, are named, but not shown.

            With --rehearse the change is made and undone at once, and everything that it has touched is compared byte \
            for byte with what it was; what differs is named, and the status is 11. Services are restarted twice, \
            whoever watches sees the settings come and go, and two generations in the log tell of it. A rehearsal that \
            is cut off is undone when the service starts again.

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

    @Flag(help: "With --apply, unset what the file does not name.")
    var replace = false

    @Option(
        help: .init("With --apply, the path that the file is about.", valueName: "path"),
        completion: .custom(SettingPathCompletion.paths))
    var prefix: String?

    @Option(
        name: .customLong("file"),
        help: .init(
            "With --apply, a file for the area documents, and where it lies here. Repeatable.", valueName: "path=file"))
    var files: [DocumentFile] = []

    @Flag(help: "Plan what `cleat rollback` would do.")
    var rollback = false

    @Flag(help: "Plan what `cleat reset` would do.")
    var reset = false

    @Flag(help: "The change lasts until the next boot only.")
    var volatile = false

    @Flag(help: "Make the change, undo it at once, and see whether all is as it was.")
    var rehearse = false

    @Argument(
        help: .init("Settings and their new values; a generation; a prefix.", valueName: "path=value"),
        completion: .custom(SettingPathCompletion.assignments))
    var operands: [String] = []

    func validate() throws {
        guard [apply != nil, rollback, reset].count(where: { $0 }) <= 1 else {
            throw ValidationError("--apply, --rollback and --reset are three things; plan one after the other")
        }
        if apply == nil, replace || prefix != nil { throw ValidationError("--replace and --prefix belong to --apply") }
        if apply == nil, !files.isEmpty { throw ValidationError("--file belongs to --apply") }
        try files.validate(isVolatile: volatile, besides: apply ?? "")
        if rollback || reset || apply != nil {
            guard unset.isEmpty else { throw ValidationError("--unset goes with <path=value> only") }
            guard operands.count <= (apply == nil ? 1 : 0) else {
                throw ValidationError("“\(operands.last?.printable ?? "")” is too much here")
            }
        }
        if rollback || reset, volatile { throw ValidationError("--volatile goes with <path=value> and --apply only") }
        if replace, volatile { throw ValidationError("--replace is about what is committed, and not --volatile") }
        if rehearse, volatile { throw ValidationError("what is volatile cannot be rehearsed; leave out --rehearse") }
        if rollback, let number = operands.first, Int64(number) == nil {
            throw ValidationError("“\(number.printable)” is no generation; see `cleat log`")
        }
        if !rollback, !reset, apply == nil, operands.isEmpty, unset.isEmpty {
            throw ValidationError("Missing expected argument '<path=value> ...'")
        }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        let view = try answer(session, context.console)
        try context.console.show(view)
        if view.differs { throw .alreadyTold(.revertFailed) }
    }

    private func answer(_ session: Session, _ console: Console) throws(CommandError) -> PlanView {
        let plan: Bool? = rehearse ? nil : true
        let rehearse: Bool? = rehearse ? true : nil
        if rollback {
            return PlanView(
                reply: try session.call(
                    SettingsInterface.Rollback.self,
                    .init(
                        to: operands.first.flatMap { Int64($0) }, id: write.id, expect: try write.reference(session),
                        comment: write.comment, plan: plan, rehearse: rehearse)))
        }
        if reset {
            return PlanView(
                reply: try session.call(
                    SettingsInterface.Reset.self,
                    .init(
                        prefix: operands.first, id: write.id, expect: try write.reference(session),
                        comment: write.comment, plan: plan, rehearse: rehearse)))
        }
        if let apply {
            let (source, document, path) = try SettingsDocument.read(file: apply, prefix: prefix)
            let documents = try DocumentUploads(files, session, console)
            let application = ApplySettings(
                document: try document.adding(documents, from: source), documents: documents, source: source,
                mode: replace ? .replace(path) : .merge, prefix: prefix,
                expect: try write.reference(session), id: write.id, comment: write.comment, volatile: volatile,
                plan: plan == true, rehearse: rehearse == true)
            let view = try application.run(session)
            return PlanView(reply: view.reply, kept: view.kept)
        }
        var assignments: [Assignment] = []
        for operand in operands {
            guard let assignment = Assignment(operand) else {
                throw .usage("\(operand) is no path=value", remedy: "write \(operand)=VALUE, or --unset \(operand)")
            }
            assignments.append(assignment)
        }
        let changes = SetSettings(
            assignments: assignments, removals: unset, expect: write.expect, id: write.id, comment: write.comment,
            volatile: volatile, plan: plan == true, rehearse: rehearse == true)
        return PlanView(reply: try changes.reply(session))
    }
}
