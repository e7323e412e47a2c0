import ArgumentParser
import CleatAPI
import CleatIO
import CleatSettings
import CleatViews
import SystemPackage

/// `cleat try`.
struct TryCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Run a command while changes are on trial: keep them if it succeeds.",
        usage: "cleat try [<options>] [--apply <file>] [<path=value> ...] -- <command> [<argument> ...]",
        discussion: """
            Puts the changes on trial, runs the command here and as the caller, with the id of the trial in \
            CLEAT_TRIAL, and keeps the changes if it exits with 0; else they are reverted at once. If it takes longer \
            than --confirm (two minutes), or someone else reverts them, the command is killed with its descendants. \
            SIGINT, SIGTERM and SIGHUP end it, too, and revert the changes. If cleat itself is killed, they revert \
            when the confirm window ends. Only the command writes to standard output.

            While a change is on trial, no other change can be made, so the command cannot use `cleat set`: write the \
            changes before the two dashes, or in the file of --apply.

            Exit status: that of the command (128 and the number of a signal, 127 and 126 as from a shell); if it \
            exited with 0 or by a signal, 130 after ^C, 143 after SIGTERM, 129 after SIGHUP; 10 if the changes were \
            reverted before it had succeeded; 11 if they could not be reverted; else that of `cleat set`.

            Examples:
              cleat try network/interfaces/eth0/mtu=9000 -- ping -c 3 -s 8000 192.0.2.1
              cleat try --confirm 30s --apply site.json5 -- ./check-site
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var write: WriteOptions

    @Option(
        name: .customLong("confirm"),
        help: .init("Revert the changes if the command takes longer than this (1s to 1d).", valueName: "duration"),
        transform: TrialWindow.parse)
    var window: TrialWindow?

    @Option(
        name: .customLong("apply"), help: .init("Merge this file, as `cleat apply` does.", valueName: "file"),
        completion: .file())
    var file: String?

    /// The changes, followed by the command: the parser removes the two dashes.
    @Argument(
        help: .init("A setting and its new value; after two dashes the command.", valueName: "path=value"),
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
            throw ValidationError("Give the changes before the two dashes: <path=value> ..., or --apply <file>")
        }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.changeSession(waits: true)
        let reply = try begin(session)
        switch reply.state {
        case .pending: break
        case .unchanged:
            // Nothing is on trial: the command runs on the present state.
            show(CommitView(reply: reply), context)
            session.service.leave()
            return try end(with: try runCommand(beside: nil, session))
        default:
            throw CommandError(
                status: .conflict, layer: .confirm, code: "IDReused",
                message: "id \(reply.id) was used before, in generation \(reply.generation)", remedy: "take a new --id")
        }
        show(CommitView(reply: reply), context)
        Process.setEnvironment("CLEAT_TRIAL", reply.id)
        let outcome = try runCommand(beside: TrialWatch(session.board, id: reply.id), session)
        session.service.leave()
        switch outcome {
        case .trialEnded(let end): throw reverted(end, context)
        case .trialLost(let error): throw error
        case .notStarted:
            try conclude(reply, isKept: false, session, context)
            try end(with: outcome)
        case .ended(let end, let signal):
            try conclude(reply, isKept: end == .exited(0) && signal == nil, session, context)
            try self.end(with: outcome)
        }
    }

    /// The outcome of the command.
    private enum Outcome {
        /// The command has ended, after the signal that was received, if there was one.
        case ended(ChildResult.Status, signal: Signal?)
        /// The command could not be started.
        case notStarted(Errno)
        /// The command was ended because the trial was over: the changes were reverted.
        case trialEnded(TransactionsInterface.End)
        /// The command was ended because the changes could not be reverted, or the state of the trial is unknown.
        case trialLost(CommandError)
    }

    /// Runs the command, and ends it if the trial ends first or a signal arrives.
    private func runCommand(beside trial: TrialWatch?, _ session: ChangeSession) throws(CommandError) -> Outcome {
        let running: RunningCommand
        do throws(Errno) {
            running = try RunningCommand(command)
        } catch {
            return .notStarted(error)
        }
        do throws(Errno) {
            var trial = trial
            while true {
                switch try running.next(watching: trial?.descriptor, milliseconds: trial?.pause) {
                case .ended(let end): return .ended(end, signal: nil)
                case .signal(let number, let isTyped):
                    // ssh is not part of the command, so it ends before the command is signalled.
                    session.service.leave()
                    return .ended(try running.end(after: number, isTyped: isTyped), signal: number)
                case .readable, .nothing:
                    switch trial?.look() {
                    case nil, .nothing: continue
                    // Another client has confirmed the changes: the command still decides the exit status.
                    case .ended(let end) where end.state == .confirmed: trial = nil
                    case .ended(let end):
                        session.service.leave()
                        _ = try running.end()
                        return .trialEnded(end)
                    case .failed(let error):
                        session.service.leave()
                        _ = try running.end()
                        return .trialLost(error)
                    }
                }
            }
        } catch {
            throw .local("\(command[0].printable) cannot be waited for: \(error)")
        }
    }

    /// Confirms or reverts the changes after the command has ended.
    private func conclude(
        _ reply: SettingsInterface.Set.Reply, isKept: Bool, _ session: ChangeSession, _ context: CommandContext
    ) throws(CommandError) {
        do {
            // The address of the service may have changed, and the service may be restarting.
            session.board.following.goesBack = !isKept
            try session.reconnect()
            if isKept { return try keep(reply, session, context) }
            show(TrialEndView(end: try revert(reply.id, session)), context)
        } catch {
            guard error.status == .unavailable else { throw error }
            var error = error
            error.remedy = "change \(reply.id) reverts unless it is confirmed; see `cleat log`"
            throw error
        }
    }

    private func begin(_ session: ChangeSession) throws(CommandError) -> SettingsInterface.Set.Reply {
        let window = self.window?.milliseconds ?? APILimits.probeWindow
        guard let file else {
            return try SetSettings(
                assignments: SetCommand.assignments(changes), expect: write.expect, id: write.id,
                comment: write.comment, confirm: window
            ).reply(session)
        }
        let (source, document, _) = try SettingsDocument.read(file: file, prefix: nil)
        return try ApplySettings(
            document: document, source: source, mode: .merge, expect: try write.reference(session.service),
            id: write.id,
            comment: write.comment, confirm: window
        ).run(session).reply
    }

    private func keep(
        _ reply: SettingsInterface.Set.Reply, _ session: ChangeSession, _ context: CommandContext
    ) throws(CommandError) {
        do {
            show(
                TrialEndView(end: try session.conclude(TransactionsInterface.Confirm.self, .init(id: reply.id))),
                context)
        } catch {
            guard case .noTransaction = APIError(name: error.code, parameters: error.parameters),
                let end = try? session.conclude(TransactionsInterface.Wait.self, .init(id: reply.id)),
                end.state == .reverted
            else { throw error }
            throw reverted(end, context)
        }
    }

    /// Reverts the changes, unless another client has confirmed them.
    private func revert(_ id: String, _ session: ChangeSession) throws(CommandError) -> TransactionsInterface.End {
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

    /// Prints the revert of the changes while the command ran, and returns the error for it.
    private func reverted(_ end: TransactionsInterface.End, _ context: CommandContext) -> CommandError {
        show(TrialEndView(end: end), context)
        return CommandError(
            status: .reverted, layer: .confirm, code: "Reverted",
            message: "change \(end.id) was reverted before the command had succeeded",
            remedy: "set a longer time with --confirm; `cleat log` shows the reason")
    }

    /// Ends with the exit status of the command.
    private func end(with outcome: Outcome) throws(CommandError) {
        switch outcome {
        case .notStarted(let reason):
            throw CommandError(
                // As in a shell: 127 if there is no such program, 126 if it cannot be run.
                status: .init(rawValue: reason == .noSuchFileOrDirectory ? 127 : 126), layer: .output, code: "Command",
                message: "\(command[0].printable) cannot be started: \(reason)",
                remedy: "check its name, or give its whole path")
        case .ended(.exited(0), nil), .trialEnded, .trialLost: return
        case .ended(.exited(0), let signal?), .ended(.signalled, let signal?):
            throw .alreadyReported(.init(rawValue: 128 + signal.rawValue))
        case .ended(.exited(let status), _): throw .alreadyReported(.init(rawValue: status))
        case .ended(.signalled(let number), nil): throw .alreadyReported(.init(rawValue: 128 + number))
        }
    }

    /// Prints a view to standard error, since standard output belongs to the command.
    private func show(_ view: some TextPresentable & JSONPresentable, _ context: CommandContext) {
        var renderer = context.console.renderer
        renderer.colour = false
        Console.printError(renderer.renderItem(view))
    }
}
