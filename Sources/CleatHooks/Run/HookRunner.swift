package import CleatAPI
package import CleatIO
internal import SystemPackage

/// Runs hooks on events.
///
/// Matching, queueing and the start of a program happen on the loop; only a run's own task waits for its hook.
/// ``HookQueue`` decides which run starts next. The program is checked again before every run.
package actor HookRunner {
    private nonisolated let loop: EventLoop
    private let context: HookContext
    private let policy: TrustPolicy
    private let landlock: Landlock
    private let notify: @Sendable (HookNotice) -> Void
    /// The thread that searches the processes of the system.
    private let worker = Worker(name: "hooks")

    private var inForce: HookSet
    private var byName: [String: Hook] = [:]
    private var queue: HookQueue
    private var counters: [String: HookCounters] = [:]
    private var last: [String: HookRun] = [:]
    private var meters: [String: RateMeter] = [:]
    private var tasks: [Int64: Task<HookRun, Never>] = [:]
    private var nextTask: Int64 = 0
    private var tests = 0
    private var timer: (at: Int64, task: Task<Void, Never>)?
    private var isClosed = false

    /// The largest number of tests at the same time.
    private static let testLimit = 4

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private var roomWaiters: [CheckedContinuation<Void, Never>] = []

    /// Creates a runner; `notify` is called on the loop.
    package init(
        loop: EventLoop, hooks: HookSet, context: HookContext, policy: TrustPolicy = .current(),
        landlock: Landlock = .current, limits: HookQueue.Limits = HookQueue.Limits(),
        notify: @escaping @Sendable (HookNotice) -> Void = { _ in }
    ) {
        self.loop = loop
        self.context = context
        self.policy = policy
        self.landlock = landlock
        self.notify = notify
        inForce = hooks
        queue = HookQueue(limits: limits)
        queue.configure(hooks.hooks)
        byName = Dictionary(hooks.hooks.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Queues an event for each hook that it matches, and starts the runs that can start.
    package func handle(_ event: Event) {
        guard !isClosed else { return }
        let now = BootTime.now().milliseconds
        var hasWork = false
        for hook in inForce.hooks where hook.filter.matches(event) {
            let offer = queue.offer(event, to: hook.name, now: now)
            counters[hook.name, default: HookCounters()].count(offer)
            explain(offer, of: event, to: hook.name)
            if offer == .delayed || offer == .suppressed { meters[hook.name, default: RateMeter()].note(at: now) }
            hasWork = true
        }
        if hasWork { advance() }
    }

    /// Waits until the queue has space for events of a source that can wait; other sources do not wait.
    package func room() async {
        while !isClosed, !queue.hasRoom { await withCheckedContinuation { roomWaiters.append($0) } }
    }

    private func wakeRoomWaiters() {
        guard !roomWaiters.isEmpty, isClosed || queue.hasRoom else { return }
        let waiters = roomWaiters
        roomWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Replaces the hooks in force; runs in progress continue, and counters are kept by name.
    ///
    /// - Parameters:
    ///   - hooks: The new hooks.
    ///   - concurrency: The largest number of runs at the same time; nil keeps the present one.
    package func reload(_ hooks: HookSet, concurrency: Int? = nil) {
        guard !isClosed else { return }
        if let concurrency { queue.limits.concurrency = concurrency }
        inForce = hooks
        byName = Dictionary(hooks.hooks.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        queue.configure(hooks.hooks)
        counters = counters.filter { byName[$0.key] != nil }
        last = last.filter { byName[$0.key] != nil }
        meters = meters.filter { byName[$0.key] != nil }
        advance()
    }

    /// Returns whether a hook would run on an event, with its command and environment, and the reason if it would be
    /// refused.
    package func test(_ name: String, event: Event) throws(HookTestError) -> HooksInterface.Test.Reply {
        guard let hook = byName[name] else { throw HookTestError(.unknownHook, name: name) }
        var refused: String?
        do {
            for descriptor in try openFiles(of: hook).all { descriptor.close() }
        } catch {
            refused = error.description
        }
        let clauses = hook.filter.clauses(for: event)
        return HooksInterface.Test.Reply(
            matches: clauses.allSatisfy(\.matches), event: HookRunner.summary(of: event), clauses: clauses,
            command: hook.command, environment: environment(of: hook, event), refused: refused)
    }

    /// Runs a hook on an event now, outside the queue, if the event matches or the run is forced.
    ///
    /// The run is reported but not counted.
    package func run(
        _ name: String, event: Event, isForced: Bool
    ) async throws(HookTestError) -> HooksInterface.Run.Reply {
        guard let hook = byName[name] else { throw HookTestError(.unknownHook, name: name) }
        let clauses = hook.filter.clauses(for: event)
        var reply = HooksInterface.Run.Reply(
            matches: clauses.allSatisfy(\.matches), event: HookRunner.summary(of: event), clauses: clauses)
        guard reply.matches || isForced else { return reply }
        guard !isClosed, tests < HookRunner.testLimit else { throw HookTestError(.busy, name: name) }
        tests += 1
        let task = begin(hook, event)
        reply.run = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        tests -= 1
        return reply
    }

    /// Drops waiting events, kills the running hooks with all their processes, and returns when they have ended.
    package func shutdown() async {
        isClosed = true
        queue.close()
        wakeRoomWaiters()
        timer?.task.cancel()
        timer = nil
        let ending = Array(tasks.values)
        for task in ending { task.cancel() }
        for task in ending { _ = await task.value }
        worker.shutdown()
    }

    // MARK: What there is to see

    /// The hooks in force, as they are sent to clients.
    package var hooks: [HookInfo] {
        inForce.hooks.map { hook in
            let counts = counters[hook.name] ?? HookCounters()
            return HookInfo(
                name: hook.name, file: hook.file, match: hook.filter.wire, run: hook.command, timeout: hook.timeout,
                runs: counts.runs, failures: counts.failures, suppressed: counts.withoutRun, last: last[hook.name],
                sandbox: hook.sandbox?.wire(on: landlock))
        }
    }

    /// The hooks that have exceeded their rate for at least a minute and still do, each with the duration in seconds.
    package var limited: [(hook: Hook, seconds: Int64)] {
        let now = BootTime.now().milliseconds
        return inForce.hooks.compactMap { hook in
            meters[hook.name]?.duration(at: now).map { (hook, $0 / 1000) }
        }
    }

    /// The problems of the files that are not in force.
    package var problems: [HookProblem] { inForce.problems }

    /// The number of hooks in force.
    package var count: Int { inForce.hooks.count }

    /// The number of runs in progress, including tests.
    package var running: Int { tasks.count }

    /// Returns the counters of the events that matched the hook.
    package func counters(of name: String) -> HookCounters { counters[name] ?? HookCounters() }

    /// The counters of all hooks together, for the service's status.
    package var statistics: [Counter] {
        var sum = HookCounters()
        for counts in counters.values { sum.add(counts) }
        return [
            Counter(name: "hooks.matched", value: sum.matched),
            Counter(name: "hooks.runs", value: sum.runs),
            Counter(name: "hooks.failures", value: sum.failures),
            Counter(name: "hooks.timeouts", value: sum.timeouts),
            Counter(name: "hooks.refused", value: sum.refused),
            Counter(name: "hooks.merged", value: sum.merged),
            Counter(name: "hooks.delayed", value: sum.delayed),
            Counter(name: "hooks.suppressed", value: sum.suppressed),
            Counter(name: "hooks.dropped", value: sum.dropped),
            Counter(name: "hooks.cut", value: sum.cut),
            Counter(name: "hooks.running", value: Int64(tasks.count)),
            Counter(name: "hooks.waiting", value: Int64(queue.waiting)),
        ]
    }

    /// Returns the cause that a process inherited, if it belongs to a run in progress.
    package func cause(ofProcess pid: Int32) -> String? {
        guard !tasks.isEmpty else { return nil }
        return HookCause.ofProcess(pid)?.description
    }

    // MARK: Running

    /// Starts the runs that can start, and sets the timer for those that have to wait.
    private func advance() {
        defer { wakeRoomWaiters() }
        while let job = queue.next(now: BootTime.now().milliseconds) {
            guard let hook = byName[job.key.hook] else {
                queue.finish(job.key, now: BootTime.now().milliseconds)
                continue
            }
            begin(hook, job.event, key: job.key)
        }
        let wakeUp = queue.wakeUp
        guard timer?.at != wakeUp else { return }
        timer?.task.cancel()
        timer = nil
        guard let wakeUp else { return }
        let task = loop.task(name: "hooks.timer") {
            do {
                try await self.loop.sleep(until: BootTime(milliseconds: wakeUp))
            } catch {
                return
            }
            await self.timerFired(wakeUp)
        }
        timer = (wakeUp, task)
    }

    private func timerFired(_ at: Int64) {
        guard timer?.at == at else { return }
        timer = nil
        advance()
    }

    @discardableResult
    private func begin(_ hook: Hook, _ event: Event, key: HookQueue.Key? = nil) -> Task<HookRun, Never> {
        let number = nextTask
        nextTask &+= 1
        let task = loop.task(name: "hook") { await self.perform(hook, event, key: key, task: number) }
        tasks[number] = task
        return task
    }

    private func perform(_ hook: Hook, _ event: Event, key: HookQueue.Key?, task: Int64) async -> HookRun {
        let (run, left) = await execute(hook, event)
        tasks[task] = nil
        if let key {
            record(run, of: hook.name)
            queue.finish(key, now: BootTime.now().milliseconds)
        }
        notify(.ended(hook: hook.name, run: run, left: left))
        if key != nil { advance() }
        return run
    }

    private func execute(_ hook: Hook, _ event: Event) async -> (HookRun, MarkedProcesses.Result) {
        var left = MarkedProcesses.Result()
        var run = HookRun(
            time: WallTime.now().description, event: HookRunner.summary(of: event), duration: 0, status: .refused,
            code: 0,
            output: "", outputBytes: 0)
        let files: HookFiles
        do {
            files = try openFiles(of: hook)
        } catch {
            run.code = Int(error.errno.rawValue)
            run.output = error.description
            return (run, left)
        }
        // Open until the end, since a program that is run by descriptor needs it.
        defer { for descriptor in files.all { descriptor.close() } }
        let (trusted, writable) = (files.program, files.writable)
        let mark = "CLEAT_RUN=\(UInt64.random(in: 0...UInt64.max))"
        let command = ChildCommand(
            program: trusted.isScript
                ? .path(FilePath(trusted.path))
                : .descriptor(trusted.descriptor.descriptor, name: hook.program),
            arguments: Array(hook.command.dropFirst()),
            environment: environment(of: hook, event, run: String(mark.dropFirst("CLEAT_RUN=".count))),
            workingDirectory: "/",
            input: HookEnvironment.input(for: event),
            outputLimit: HookLimits.outputBytes,
            timeout: .milliseconds(hook.timeout),
            writeAccess: writable.map { places in
                WriteAccess(
                    places.map { .descriptor($0.descriptor.descriptor, name: $0.path) },
                    isRequired: hook.sandbox?.isRequired ?? true, landlock: landlock)
            })
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
    private struct HookFiles {
        let program: TrustedFile
        let writable: [TrustedFile]?

        var all: [Descriptor] { [program.descriptor] + (writable ?? []).map(\.descriptor) }
    }

    /// Opens a hook's program and the places that it may write, and checks each of them.
    private func openFiles(of hook: Hook) throws(TrustError) -> HookFiles {
        HookFiles(
            program: try policy.open(hook.program, for: .running),
            writable: try hook.sandbox?.writePaths.map { path throws(TrustError) in
                try policy.open(path, for: .confining)
            })
    }

    private func environment(of hook: Hook, _ event: Event, run: String? = nil) -> [String: String] {
        var variables = HookEnvironment.variables(
            for: event, hook: hook.name, cause: HookCause(event.cause).adding(hook.name), context: context)
        // The mark identifies the processes of this run, even those that left its process group.
        if let run { variables["CLEAT_RUN"] = run }
        return variables
    }

    private func record(_ run: HookRun, of name: String) {
        guard byName[name] != nil else { return }
        var counts = counters[name] ?? HookCounters()
        counts.runs &+= 1
        if run.isFailure { counts.failures &+= 1 }
        switch run.status {
        case .timedOut: counts.timeouts &+= 1
        case .refused: counts.refused &+= 1
        case .exited, .signalled: break
        }
        counters[name] = counts
        var listed = run
        if run.output.utf8.count > HookLimits.listedOutputBytes {
            listed.output = String(decoding: run.output.utf8.prefix(HookLimits.listedOutputBytes), as: UTF8.self)
        }
        last[name] = listed
    }

    private func explain(_ offer: HookQueue.Offer, of event: Event, to name: String) {
        let counts = counters[name] ?? HookCounters()
        switch offer {
        case .cut where counts.cut.nonzeroBitCount == 1:
            notify(
                .cut(
                    hook: name, event: HookRunner.summary(of: event), cause: HookCause(event.cause).description,
                    count: counts.cut))
        case .dropped where counts.dropped.nonzeroBitCount == 1:
            notify(.dropped(hook: name, event: HookRunner.summary(of: event), count: counts.dropped))
        case .delayed where counts.delayed.nonzeroBitCount == 1:
            notify(.delayed(hook: name, event: HookRunner.summary(of: event), count: counts.delayed))
        default: break
        }
    }

    /// Returns a short description of an event: `device add /devices/…`.
    private static func summary(of event: Event) -> String {
        let words = "\(event.source.rawValue) \(event.action) \(event.subject)"
        return words.utf8.count <= 256 ? words : String(decoding: words.utf8.prefix(256), as: UTF8.self) + "…"
    }
}

/// An error that keeps a hook from being tested.
package struct HookTestError: Error, Hashable, CustomStringConvertible {
    /// The kinds of error.
    package enum Code: Sendable, Hashable {
        /// No hook in force has this name.
        case unknownHook
        /// Too many tests are running, or the service is shutting down.
        case busy
    }

    /// The kind of error.
    package let code: Code
    /// The hook's name.
    package let name: String

    init(_ code: Code, name: String) {
        self.code = code
        self.name = name
    }

    package var description: String {
        switch code {
        case .unknownHook: "no hook in force is called \(name); cleat hook list shows them, and files that were refused"
        case .busy: "hook \(name) cannot be tested now, since other tests go on; try again when they have ended"
        }
    }
}
