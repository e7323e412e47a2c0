internal import CleatAPI
internal import CleatIO
internal import CleatObservers
internal import SystemPackage

/// Runs the program of a hook for one event, on the loop.
///
/// The program, and the paths that it may write, are checked before every run.
struct HookLauncher: Sendable {
    let loop: EventLoop
    let context: HookContext
    let policy: TrustPolicy
    let landlock: Landlock
    /// The thread that searches the processes of the system.
    private let worker = Worker(name: "hooks")

    init(loop: EventLoop, context: HookContext, policy: TrustPolicy, landlock: Landlock) {
        self.loop = loop
        self.context = context
        self.policy = policy
        self.landlock = landlock
    }

    /// Runs a hook on an event, and returns the result and what became of the processes that had left its process group.
    func run(_ hook: Hook, on event: Event) async -> (run: HookRun, left: MarkedProcesses.Result) {
        var left = MarkedProcesses.Result()
        var run = HookRun(
            time: WallTime.now().description, event: event.summary, duration: 0, status: .refused,
            code: 0,
            output: "", outputBytes: 0)
        let files: HookFiles
        let user: (user: ChildCommand.User?, variables: [String: String])
        do {
            user = try hook.process.findUser()
            files = try openFiles(of: hook)
        } catch {
            run.code = Int(
                ((error as? TrustError)?.errno ?? (error as? HookUserError)?.errno ?? .invalidArgument).rawValue)
            run.output = "\(error)"
            return (run, left)
        }
        // Open until the end, since a program that is run by descriptor needs it.
        defer { for descriptor in files.all { descriptor.close() } }
        let (trusted, writable) = (files.program, files.writable)
        let id = RandomID.make()
        let mark = "CLEAT_RUN=\(id)"
        let command = ChildCommand(
            program: trusted.isScript
                ? .path(FilePath(trusted.path))
                : .descriptor(trusted.descriptor.descriptor, name: hook.program),
            arguments: Array(hook.command.dropFirst()),
            environment: environment(of: hook, event, run: id).merging(user.variables) { first, _ in first },
            workingDirectory: FilePath(hook.process.directory),
            input: HookEnvironment.input(for: event),
            outputLimit: HookLimits.outputBytes,
            timeout: .milliseconds(hook.timeout),
            limits: hook.process.limits,
            writeAccess: writable.map { places in
                WriteAccess(
                    places.map { .descriptor($0.descriptor.descriptor, name: $0.path) },
                    isRequired: hook.sandbox?.isRequired ?? true, landlock: landlock)
            },
            user: user.user)
        do {
            let result = try await loop.run(command)
            if result.timedOut { left = await kill(mark) }
            run.duration = result.duration.milliseconds
            run.output = result.outputText
            run.outputBytes = Int64(result.outputBytesTotal)
            switch result.status {
            case .exited(let code):
                run.status = result.timedOut ? .timedOut : .exited
                run.code = Int(code)
            case .signalled(let number):
                run.status = result.timedOut ? .timedOut : .signalled
                run.code = Int(number)
            }
        } catch {
            run.output = error.description
            switch error.code {
            case .cancelled:
                left = await kill(mark)
                run.status = .signalled
                run.code = 9
            case .stuck:
                run.status = .timedOut
                run.code = 9
            default:
                run.code = Int(error.underlying?.rawValue ?? 0)
            }
        }
        return (run, left)
    }

    /// Kills the processes that carry a mark, on the worker thread, so that the loop is not blocked.
    private func kill(_ mark: String) async -> MarkedProcesses.Result {
        // A separate task: the remaining processes must be killed even if the run was cancelled.
        let task = loop.task(name: "strays") { [worker] in try await worker.run { MarkedProcesses.kill(mark) } }
        return (try? await task.value) ?? MarkedProcesses.Result()
    }

    /// The files that must be open while a hook runs.
    struct HookFiles {
        let program: TrustedFile
        let writable: [TrustedFile]?

        var all: [Descriptor] { [program.descriptor] + (writable ?? []).map(\.descriptor) }
    }

    /// Opens a hook's program and the places that it may write, and checks each of them.
    func openFiles(of hook: Hook) throws(TrustError) -> HookFiles {
        HookFiles(
            program: try policy.open(hook.program, for: .running),
            writable: try hook.sandbox?.writePaths.map { path throws(TrustError) in
                try policy.open(path, for: .confining)
            })
    }

    /// Returns the environment of a run; without the mark of a run it is the one that a test shows.
    func environment(of hook: Hook, _ event: Event, run: String? = nil) -> [String: String] {
        var variables = HookEnvironment.variables(
            for: event, hook: hook.name, cause: HookCause(event.cause).adding(hook.name), context: context,
            properties: hook.process.properties)
        // The mark identifies the processes of this run, even those that left its process group.
        if let run { variables["CLEAT_RUN"] = run }
        return variables
    }

    /// Ends the thread; no run may be in progress.
    func shutdown() {
        worker.shutdown()
    }
}

extension Event {
    /// A short description: `device add /devices/…`.
    var summary: String { Self.summary(source, action, subject) }

    fileprivate static func summary(_ source: EventSource, _ action: String, _ subject: String) -> String {
        let words = "\(source.rawValue) \(action) \(subject)"
        return words.utf8.count <= 256 ? words : String(decoding: words.utf8.prefix(256), as: UTF8.self) + "…"
    }
}

extension EventDraft {
    /// A short description, as of ``Event``.
    var summary: String { Event.summary(source, action, subject) }
}
