import ArgumentParser
import CleatAPI
import CleatSettings

/// `cleat try`.
struct TryCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Run a command while changes are on trial: keep them if it succeeds.",
        usage: "cleat try [<options>] [--apply <file>] [<path=value> ...] -- <command> [<argument> ...]",
        discussion: """
            Makes the changes on trial, runs the command here and as the caller, with the id of the trial in \
            CLEAT_TRIAL, and keeps the changes if it ends with 0; else they are undone at once. Where the command takes \
            longer than --confirm (two minutes), or cleat itself is killed, they are undone by themselves. What the \
            command prints is the only thing on standard output.

            While a change is on trial nothing else can be changed, so the command cannot use `cleat set`: what is to be \
            tried stands before the two dashes, or in the file of --apply.

            Exit status: that of the command (128 and the number of a signal, 127 and 126 as from a shell); 130 where ^C \
            was typed; 10 where it succeeded but the changes had been undone meanwhile; 11 where they could not be undone; \
            else that of `cleat set`.

            Examples:
              cleat try network/interfaces/eth0/mtu=9000 -- ping -c 3 -s 8000 192.0.2.1
              cleat try --confirm 30s --apply site.json5 -- ./check-site
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var write: WriteOptions

    @Option(
        name: .customLong("confirm"),
        help: .init("Undo the changes where the command takes longer than this (1s to 1d).", valueName: "duration"))
    var window: TrialWindow?

    @Option(
        name: .customLong("apply"), help: .init("Merge this file, as `cleat apply` does.", valueName: "file"),
        completion: .file())
    var file: String?

    /// The changes, and behind them the command: the parser takes the two dashes away.
    @Argument(
        help: .init("A setting and its new value; behind two dashes the command.", valueName: "path=value"),
        completion: .custom(SettingPathCompletion.assignments))
    var words: [String] = []

    /// What stands behind the two dashes.
    private var command: [String] {
        CommandLine.arguments.firstIndex(of: "--").map { Array(CommandLine.arguments[($0 + 1)...]) } ?? []
    }

    private var changes: [String] { words.dropLast(command.count) }

    func validate() throws {
        if command.isEmpty { throw ValidationError("Missing expected argument '-- <command> ...'") }
        if changes.isEmpty == (file == nil) {
            throw ValidationError("Name what is to be tried before the two dashes: <path=value> ..., or --apply <file>")
        }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.followingSession(waits: true)
        let reply = try begin(session)
        switch reply.state {
        case .pending: break
        case .unchanged:
            // Nothing is on trial: the command judges what there is.
            tell(CommitView(reply: reply), context)
            return try end(with: Process.run(command))
        default:
            throw CommandError(
                status: .conflict, layer: .confirm, code: "IDReused",
                message: "id \(reply.id) was used before, in generation \(reply.generation)", remedy: "take a new --id")
        }
        tell(CommitView(reply: reply), context)
        Process.setEnvironment("CLEAT_TRIAL", reply.id)
        session.leave()
        let (end, wasInterrupted) = Process.run(command)
        do {
            // The way to the service may be another one by now, and the service may be on its way back.
            session.following.goesBack = end != .exited(0) || wasInterrupted
            try session.comeBack()
            if end == .exited(0), !wasInterrupted {
                try keep(reply, session, context)
            } else {
                tell(
                    TrialEndView(end: try session.conclude(TransactionsInterface.Abort.self, .init(id: reply.id))),
                    context)
            }
        } catch {
            guard error.status == .unavailable else { throw error }
            var error = error
            error.remedy = "unless somebody confirms change \(reply.id), it is undone by itself; see `cleat log`"
            throw error
        }
        try self.end(with: (end, wasInterrupted))
    }

    private func begin(_ session: Session) throws(CommandError) -> SettingsInterface.Set.Reply {
        let window = self.window?.milliseconds ?? APILimits.probeWindow
        guard let file else {
            return try SetSettings(
                assignments: SetCommand.assignments(changes), expect: write.expect, id: write.id,
                comment: write.comment, confirm: window
            ).reply(session)
        }
        let (source, document, _) = try SettingsDocument.read(file: file, prefix: nil)
        return try ApplySettings(
            document: document, source: source, mode: .merge, expect: try write.reference(session), id: write.id,
            comment: write.comment, confirm: window
        ).run(session).reply
    }

    private func keep(
        _ reply: SettingsInterface.Set.Reply, _ session: Session, _ context: CommandContext
    ) throws(CommandError) {
        do {
            tell(
                TrialEndView(end: try session.conclude(TransactionsInterface.Confirm.self, .init(id: reply.id))),
                context)
        } catch {
            guard case .noTransaction = APIError(name: error.code, parameters: error.parameters) else { throw error }
            var error = error
            error.status = .reverted
            error.remedy = "the command took too long, or somebody aborted the change: see `cleat log`, and --confirm"
            throw error
        }
    }

    /// Ends with the status of the command.
    private func end(with outcome: (end: Process.CommandEnd, wasInterrupted: Bool)) throws(CommandError) {
        if case .notStarted(let reason) = outcome.end {
            throw CommandError(
                status: .init(rawValue: outcome.end.status), layer: .output, code: "Command",
                message: "\(command[0].printable) cannot be started: \(reason)",
                remedy: "look for a slip in its name, or write its whole path")
        }
        let status = outcome.end == .exited(0) && outcome.wasInterrupted ? 130 : outcome.end.status
        if status != 0 { throw .alreadyTold(.init(rawValue: status)) }
    }

    /// Shows what happens to the settings beside what the command prints.
    private func tell(_ view: some TextPresentable & JSONPresentable, _ context: CommandContext) {
        var renderer = context.console.renderer
        renderer.colour = false
        Console.complain(renderer.renderItem(view))
    }
}
