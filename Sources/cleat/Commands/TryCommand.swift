import ArgumentParser
import CleatAPI
import CleatSettings
import SystemPackage

/// `cleat try`.
struct TryCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Run a command while changes are on trial: keep them if it succeeds.",
        usage: "cleat try [<options>] [--apply <file>] [<path=value> ...] -- <command> [<argument> ...]",
        discussion: """
            Makes the changes on trial, runs the command here and as the caller, with the id of the trial in \
            CLEAT_TRIAL, and keeps the changes if it ends with 0; else they are undone at once. Where it takes longer \
            than --confirm (two minutes), or somebody else undoes them, the command is ended with what it has started; \
            SIGINT, SIGTERM and SIGHUP end it, too, and undo them. Where cleat itself is killed, they are undone by \
            themselves. What the command prints is the only thing on standard output.

            While a change is on trial nothing else can be changed, so the command cannot use `cleat set`: what is to be \
            tried stands before the two dashes, or in the file of --apply.

            Exit status: that of the command (128 and the number of a signal, 127 and 126 as from a shell); where it \
            ended with 0 or by a signal, 130 if ^C was typed, 143 after SIGTERM, 129 after SIGHUP; 10 where the \
            changes were undone before it had succeeded; 11 where they could not be undone; else that of `cleat set`.

            Examples:
              cleat try network/interfaces/eth0/mtu=9000 -- ping -c 3 -s 8000 192.0.2.1
              cleat try --confirm 30s --apply site.json5 -- ./check-site
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var write: WriteOptions

    @Option(
        name: .customLong("confirm"),
        help: .init("Undo the changes where the command takes longer than this (1s to 1d).", valueName: "duration"),
        transform: TrialWindow.parse)
    var window: TrialWindow?

    @Option(
        name: .customLong("apply"), help: .init("Merge this file, as `cleat apply` does.", valueName: "file"),
        completion: .file())
    var file: String?

    /// The changes, followed by the command: the parser removes the two dashes.
    @Argument(
        help: .init("A setting and its new value; behind two dashes the command.", valueName: "path=value"),
        completion: .custom(SettingPathCompletion.assignments))
    var words: [String] = []

    /// The arguments after the two dashes.
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
            // Nothing is on trial: the command runs on the present state.
            tell(CommitView(reply: reply), context)
            session.leave()
            return try end(with: try runCommand(beside: nil, session))
        default:
            throw CommandError(
                status: .conflict, layer: .confirm, code: "IDReused",
                message: "id \(reply.id) was used before, in generation \(reply.generation)", remedy: "take a new --id")
        }
        tell(CommitView(reply: reply), context)
        Process.setEnvironment("CLEAT_TRIAL", reply.id)
        let outcome = try runCommand(beside: TrialWatch(session, id: reply.id), session)
        session.leave()
        switch outcome {
        case .trialEnded(let end): throw undone(end, context)
        case .trialLost(let error): throw error
        case .ended(let end, let signal):
            try conclude(reply, isKept: end == .exited(0) && signal == nil, session, context)
            try self.end(with: outcome)
        }
    }

    /// The outcome of the command.
    private enum Outcome {
        /// The command has ended, after the signal that was received, if there was one.
        case ended(Process.CommandEnd, signal: Int32?)
        /// The command was ended because the trial was over: the changes were undone.
        case trialEnded(TransactionsInterface.End)
        /// The command was ended because the changes could not be undone, or the state of the trial is unknown.
        case trialLost(CommandError)
    }

    /// Runs the command, and ends it if the trial ends first or a signal arrives.
    private func runCommand(beside trial: TrialWatch?, _ session: Session) throws(CommandError) -> Outcome {
        let running: RunningCommand
        do throws(Errno) {
            running = try RunningCommand(command)
        } catch {
            return .ended(.notStarted(error), signal: nil)
        }
        do throws(Errno) {
            var trial = trial
            while true {
                switch try running.next(watching: trial?.descriptor, milliseconds: trial?.pause) {
                case .ended(let end): return .ended(end, signal: nil)
                case .signal(let number, let isTyped):
                    // ssh is not part of the command, so it ends before the command is signalled.
                    session.leave()
                    return .ended(try running.end(after: number, isTyped: isTyped), signal: number)
                case .readable, .nothing:
                    switch trial?.look() {
                    case nil, .nothing: continue
                    // Another client has confirmed the changes: the command still decides the exit status.
                    case .ended(let end) where end.state == .confirmed: trial = nil
                    case .ended(let end):
                        session.leave()
                        _ = try running.end()
                        return .trialEnded(end)
                    case .failed(let error):
                        session.leave()
                        _ = try running.end()
                        return .trialLost(error)
                    }
                }
            }
        } catch {
            throw .local("\(command[0].printable) cannot be waited for: \(error)")
        }
    }

    /// Confirms or undoes the changes after the command has ended.
    private func conclude(
        _ reply: SettingsInterface.Set.Reply, isKept: Bool, _ session: Session, _ context: CommandContext
    ) throws(CommandError) {
        do {
            // The address of the service may have changed, and the service may be restarting.
            session.following.goesBack = !isKept
            try session.comeBack()
            if isKept { return try keep(reply, session, context) }
            tell(TrialEndView(end: try undo(reply.id, session)), context)
        } catch {
            guard error.status == .unavailable else { throw error }
            var error = error
            error.remedy = "unless somebody confirms change \(reply.id), it is undone by itself; see `cleat log`"
            throw error
        }
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
            guard case .noTransaction = APIError(name: error.code, parameters: error.parameters),
                let end = try? session.conclude(TransactionsInterface.Wait.self, .init(id: reply.id)),
                end.state == .reverted
            else { throw error }
            throw undone(end, context)
        }
    }

    /// Undoes the changes, unless another client has confirmed them.
    private func undo(_ id: String, _ session: Session) throws(CommandError) -> TransactionsInterface.End {
        do {
            return try session.conclude(TransactionsInterface.Abort.self, .init(id: id))
        } catch {
            guard case .noTransaction = APIError(name: error.code, parameters: error.parameters),
                let end = try? session.conclude(TransactionsInterface.Wait.self, .init(id: id)),
                end.state == .confirmed
            else { throw error }
            return end
        }
    }

    /// Prints how the changes were undone while the command ran, and returns the error for it.
    private func undone(_ end: TransactionsInterface.End, _ context: CommandContext) -> CommandError {
        tell(TrialEndView(end: end), context)
        return CommandError(
            status: .reverted, layer: .confirm, code: "Undone",
            message: "change \(end.id) was undone before the command had succeeded",
            remedy: "--confirm says how long it may take; `cleat log` says who reverted it")
    }

    /// Ends with the exit status of the command.
    private func end(with outcome: Outcome) throws(CommandError) {
        guard case .ended(let end, let signal) = outcome else { return }
        if case .notStarted(let reason) = end {
            throw CommandError(
                status: .init(rawValue: end.status), layer: .output, code: "Command",
                message: "\(command[0].printable) cannot be started: \(reason)",
                remedy: "look for a slip in its name, or write its whole path")
        }
        let isSignalled = end == .exited(0) || end.isSignalled
        let status = signal.flatMap { isSignalled ? 128 + $0 : nil } ?? end.status
        if status != 0 { throw .alreadyTold(.init(rawValue: status)) }
    }

    /// Prints a view to standard error, since standard output belongs to the command.
    private func tell(_ view: some TextPresentable & JSONPresentable, _ context: CommandContext) {
        var renderer = context.console.renderer
        renderer.colour = false
        Console.complain(renderer.renderItem(view))
    }
}
