package import CleatAPI
package import CleatIO
package import CleatObservers
internal import SystemPackage

/// Runs hooks on events.
///
/// Matching, queueing and the start of a program happen on the loop; only a run's own task waits for its hook.
/// ``HookQueue`` decides which run starts next, and ``HookLauncher`` starts it.
package actor HookRunner {
    private nonisolated let loop: EventLoop
    private let launcher: HookLauncher
    private let notify: @Sendable (HookNotice) -> Void

    private var inForce: HookSet
    private var queue: HookQueue
    private var statistics = HookStatistics()
    private var runs = Runs()
    private var timer: (at: Int64, task: Task<Void, Never>)?
    private var isClosed = false
    private var backlog = Backlog()
    private var pauses = HookPauses()

    /// All that waits for space in the queue.
    private struct Backlog {
        /// The tasks of sources that can wait.
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// The subjects whose events did not fit.
        var overflow = HookOverflow()
        /// The task that queues their present states.
        var refill: Task<Void, Never>?
        /// Reads a page of the present subjects of a source.
        var inventory: Inventory?
    }

    /// Reads a page of the present subjects of a source: the first one, or the one after another page.
    package typealias Inventory = @Sendable (EventSource, _ after: String?) async -> InventoryPage

    /// The runs in progress.
    private struct Runs {
        var tasks: [Int64: Task<HookRun, Never>] = [:]
        /// The events of those that are no tests.
        var events: [Int64: PendingHookEvent] = [:]
        /// The number of those that test a hook.
        var tests = 0
        private var next: Int64 = 0

        /// Returns the number of a new run.
        mutating func number() -> Int64 {
            defer { next &+= 1 }
            return next
        }
    }

    /// The largest number of tests at the same time.
    private static let testLimit = 4

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates a runner; `notify` is called on the loop.
    package init(
        loop: EventLoop, hooks: HookSet, context: HookContext, policy: TrustPolicy = .current(),
        landlock: Landlock = .current, limits: HookQueue.Limits = HookQueue.Limits(),
        notify: @escaping @Sendable (HookNotice) -> Void = { _ in }
    ) {
        self.loop = loop
        launcher = HookLauncher(loop: loop, context: context, policy: policy, landlock: landlock)
        self.notify = notify
        inForce = hooks
        queue = HookQueue(limits: limits)
        queue.configure(hooks.hooks)
    }

    /// Queues an event for each hook that it matches, and starts the runs that can start.
    package func handle(_ event: EventRecord) {
        guard !isClosed else { return }
        let now = BootTime.now().milliseconds
        var hasWork = false
        for hook in inForce.hooks where hook.filter.matches(event) {
            let offer = offer(event, to: hook, now: now)
            report(offer, of: event, to: hook.name, counts: statistics.count(offer, of: hook.name, now: now))
            hasWork = true
        }
        if hasWork { advance() }
    }

    /// Sets the function that reads the present subjects of sources.
    ///
    /// Without it, a subject whose event did not fit into the queue is delivered without its properties.
    package func follow(_ inventory: @escaping Inventory) { backlog.inventory = inventory }

    /// Offers an event to the queue; one that does not fit is noted, so that its subject is not lost.
    private func offer(_ event: EventRecord, to hook: Hook, now: Int64) -> HookQueue.Offer {
        if pauses.arrived(HookQueue.Key(hook: hook.name, subject: event.subject), now: now) { release(hook.name) }
        if pauses.contains(hook.name) { return pauses.hold(event, for: hook.name) ? .paused : .dropped }
        let offer = queue.offer(event, to: hook.name, now: now)
        switch offer {
        case .dropped: return backlog.overflow.add(event, to: hook.name) ? .deferred : .dropped
        case .cut: return offer
        default:
            if !backlog.overflow.isEmpty {
                backlog.overflow.remove(HookQueue.Key(hook: hook.name, subject: event.subject))
            }
            return offer
        }
    }

    /// Pauses a hook: its events wait, at most one for each subject.
    package func pause(_ name: String) throws(HookTestError) {
        guard inForce[name] != nil else { throw HookTestError(.unknownHook, name: name) }
        pauses.pause(name)
    }

    /// Resumes a paused hook; it runs on the present states of the subjects that had events meanwhile.
    package func resume(_ name: String) throws(HookTestError) {
        guard inForce[name] != nil else { throw HookTestError(.unknownHook, name: name) }
        release(name)
        advance()
    }

    private func release(_ name: String) {
        for (key, entry) in pauses.resume(name) { _ = backlog.overflow.add(key, entry) }
    }

    /// The paused hooks, each with the subject of its loop; nil for one that a user has paused.
    package var paused: [(hook: Hook, subject: String?)] {
        inForce.hooks.compactMap { hook in pauses.paused[hook.name].map { (hook, $0.subject) } }
    }

    /// Returns true if a hook names a source by its word: one that takes events of all sources does not.
    package func nameSource(_ source: EventSource) -> Bool {
        inForce.hooks.contains { $0.filter.source?.words.contains(source.rawValue) ?? false }
    }

    /// Waits until the queue has space for events of a source that can wait; other sources do not wait.
    package func waitForSpace() async {
        while !isClosed, !queue.hasSpace { await withCheckedContinuation { backlog.waiters.append($0) } }
    }

    /// Lets those continue that wait for space, if there is some.
    private func useSpace() {
        guard isClosed || queue.hasSpace else { return }
        let waiters = backlog.waiters
        backlog.waiters = []
        for waiter in waiters { waiter.resume() }
        guard !isClosed, !backlog.overflow.isEmpty, queue.isLow, backlog.refill == nil else { return }
        backlog.refill = loop.task(name: "hooks.refill") { await self.refill() }
    }

    /// Queues the present states of the subjects whose events did not fit, as far as there is space.
    private func refill() async {
        // Events that come meanwhile and do not fit belong to the next time.
        let newest = backlog.overflow.entries.values.reduce(0) { max($0, $1.sequence) }
        for source in backlog.overflow.sources where await !refill(from: source, until: newest) { break }
        backlog.refill = nil
        advance()
    }

    /// Queues those of one source; returns false if the queue is full.
    private func refill(from source: EventSource, until newest: Int64) async -> Bool {
        var after: String?
        repeat {
            let page = await backlog.inventory?(source, after) ?? InventoryPage()
            for (subject, properties) in page.items {
                for hook in inForce.hooks
                where !requeue(HookQueue.Key(hook: hook.name, subject: subject), of: source, properties, until: newest)
                { return false }
            }
            after = page.next
            await loop.yield()
        } while after != nil && !isClosed
        // The others are gone, or their source has no present subjects.
        for (key, entry) in backlog.overflow.entries where entry.source == source && entry.sequence <= newest {
            if !requeue(key, of: source, nil, until: newest) { return false }
        }
        return true
    }

    /// Queues the state of one subject, if its event did not fit; returns false if the queue is full.
    private func requeue(
        _ key: HookQueue.Key, of source: EventSource, _ properties: PropertyBlock?, until newest: Int64
    ) -> Bool {
        guard !isClosed, let entry = backlog.overflow.entries[key], entry.source == source, entry.sequence <= newest
        else { return true }
        guard let hook = inForce[key.hook], !(properties.map(hook.filter.excludes) ?? false) else {
            backlog.overflow.remove(key)
            return true
        }
        guard queue.hasSpace else { return false }
        let offer = queue.offer(entry.record(key.subject, properties), to: key.hook, now: BootTime.now().milliseconds)
        if offer == .dropped { return false }
        backlog.overflow.remove(key)
        return true
    }

    /// Replaces the hooks in force; runs in progress continue, and counters are kept by name.
    ///
    /// - Parameters:
    ///   - hooks: The new hooks.
    ///   - concurrency: The largest number of runs at the same time; nil keeps the present one.
    package func reload(_ hooks: HookSet, concurrency: Int? = nil) {
        guard !isClosed else { return }
        if let concurrency { queue.limits.concurrency = concurrency }
        // A file that was changed is tried again.
        let changed = inForce.hooks.filter { hook in hooks[hook.name] != hook }.map(\.name)
        inForce = hooks
        queue.configure(hooks.hooks)
        for name in changed where hooks[name] != nil { release(name) }
        pauses.removeAll(except: Set(hooks.hooks.map(\.name)))
        statistics.removeAll(except: Set(hooks.hooks.map(\.name)))
        backlog.overflow.removeAll(except: Set(hooks.hooks.map(\.name)))
        advance()
    }

    /// Returns whether a hook would run on an event, with its command and environment, and the reason if it would be
    /// refused.
    package func test(_ name: String, event: Event) throws(HookTestError) -> HooksInterface.Test.Reply {
        guard let hook = inForce[name] else { throw HookTestError(.unknownHook, name: name) }
        var refused: String?
        do {
            for descriptor in try launcher.openFiles(of: hook).all { descriptor.close() }
        } catch {
            refused = error.description
        }
        let clauses = hook.filter.clauses(for: event)
        return HooksInterface.Test.Reply(
            matches: clauses.allSatisfy(\.matches), event: event.summary, clauses: clauses,
            command: hook.command, environment: launcher.environment(of: hook, event), refused: refused)
    }

    /// Runs a hook on an event now, outside the queue, if the event matches or the run is forced.
    ///
    /// The run is reported but not counted.
    package func run(
        _ name: String, event: Event, isForced: Bool
    ) async throws(HookTestError) -> HooksInterface.Run.Reply {
        guard let hook = inForce[name] else { throw HookTestError(.unknownHook, name: name) }
        let clauses = hook.filter.clauses(for: event)
        var reply = HooksInterface.Run.Reply(
            matches: clauses.allSatisfy(\.matches), event: event.summary, clauses: clauses)
        guard reply.matches || isForced else { return reply }
        guard !isClosed, runs.tests < HookRunner.testLimit else { throw HookTestError(.busy, name: name) }
        runs.tests += 1
        let task = start(hook, event)
        reply.run = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        runs.tests -= 1
        return reply
    }

    /// The events that hooks have not acted on: those that wait, and those of runs in progress.
    ///
    /// The interrupted run of an event that was restored is not repeated once more: its program may be what ends the
    /// service.
    package var pending: [PendingHookEvent] {
        runs.events.values.filter { !$0.event.restored } + queue.events + backlog.overflow.events + pauses.events
    }

    /// Queues events of an earlier run of the service; hooks that are not in force any more are skipped.
    package func restore(_ events: [PendingHookEvent]) {
        guard !isClosed, !events.isEmpty else { return }
        for pending in events where inForce[pending.hook] != nil {
            if pending.hasProperties,
                queue.offer(pending.event, to: pending.hook, now: BootTime.now().milliseconds) != .dropped
            {
                continue
            }
            _ = backlog.overflow.add(pending.event, to: pending.hook)
        }
        advance()
    }

    /// Drops waiting events, kills the running hooks with all their processes, and returns when they have ended.
    ///
    /// - Returns: The events that no hook has acted on, for the next start.
    @discardableResult
    package func shutdown() async -> [PendingHookEvent] {
        let pending = pending
        isClosed = true
        queue.close()
        backlog.overflow = HookOverflow()
        useSpace()
        backlog.refill?.cancel()
        timer?.task.cancel()
        timer = nil
        let ending = Array(runs.tasks.values)
        for task in ending { task.cancel() }
        for task in ending { _ = await task.value }
        launcher.shutdown()
        return pending
    }

    // MARK: What there is to see

    /// The hooks in force, as they are sent to clients.
    package var hooks: [HookInfo] {
        inForce.hooks.map { hook in
            let counts = statistics.counters(of: hook.name)
            return HookInfo(
                name: hook.name, file: hook.file, match: hook.filter.wire, run: hook.command, timeout: hook.timeout,
                runs: counts.runs, failures: counts.failures, suppressed: counts.withoutRun,
                last: statistics.lastRun(of: hook.name),
                sandbox: hook.sandbox?.wire(on: launcher.landlock),
                paused: pauses.paused[hook.name].map { $0.subject == nil ? .byUser : .loop })
        }
    }

    /// The hooks that have exceeded their rate for at least a minute and still do, each with the duration in seconds.
    package var limited: [(hook: Hook, seconds: Int64)] {
        let now = BootTime.now().milliseconds
        return inForce.hooks.compactMap { hook in
            statistics.timeAtLimit(of: hook.name, now: now).map { (hook, $0 / 1000) }
        }
    }

    /// The problems of the files that are not in force.
    package var problems: [HookProblem] { inForce.problems }

    /// The number of hooks in force.
    package var count: Int { inForce.hooks.count }

    /// The number of runs in progress, including tests.
    package var running: Int { runs.tasks.count }

    /// Returns the counters of the events that matched the hook.
    package func counters(of name: String) -> HookCounters { statistics.counters(of: name) }

    /// The counters of all hooks together, for the service's status.
    package var totals: [Counter] {
        let sum = statistics.sum
        return [
            Counter(name: "hooks.matched", value: sum.matched),
            Counter(name: "hooks.runs", value: sum.runs),
            Counter(name: "hooks.failures", value: sum.failures),
            Counter(name: "hooks.timeouts", value: sum.timeouts),
            Counter(name: "hooks.refused", value: sum.refused),
            Counter(name: "hooks.merged", value: sum.merged),
            Counter(name: "hooks.delayed", value: sum.delayed),
            Counter(name: "hooks.suppressed", value: sum.suppressed),
            Counter(name: "hooks.deferred", value: sum.deferred),
            Counter(name: "hooks.dropped", value: sum.dropped),
            Counter(name: "hooks.cut", value: sum.cut),
            Counter(name: "hooks.paused", value: sum.paused),
            Counter(name: "hooks.running", value: Int64(runs.tasks.count)),
            Counter(name: "hooks.waiting", value: Int64(queue.waiting)),
        ]
    }

    /// Returns the cause that a process inherited, if it belongs to a run in progress.
    package func cause(ofProcess pid: Int32) -> String? {
        guard !runs.tasks.isEmpty else { return nil }
        return HookCause.ofProcess(pid)?.description
    }

    // MARK: Running

    /// Starts the runs that can start, and sets the timer for those that have to wait.
    private func advance() {
        defer { useSpace() }
        let now = BootTime.now().milliseconds
        for (hook, subject) in pauses.decide(now: now) { notify(.looping(hook: hook, subject: subject)) }
        while let job = queue.next(now: BootTime.now().milliseconds) {
            guard let hook = inForce[job.key.hook] else {
                queue.finish(job.key, now: now)
                continue
            }
            guard pauses.mayStart(job.key, now: now) else {
                _ = pauses.hold(job.event, for: hook.name)
                queue.finish(job.key, now: now)
                continue
            }
            start(hook, job.event.event(bootID: launcher.context.bootID), job: job)
        }
        let wakeUp = [queue.wakeUp, pauses.nextDecision].compactMap(\.self).min()
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
    private func start(_ hook: Hook, _ event: Event, job: HookQueue.Job? = nil) -> Task<HookRun, Never> {
        let number = runs.number()
        let task = loop.task(name: "hook") { await self.perform(hook, event, key: job?.key, task: number) }
        runs.tasks[number] = task
        runs.events[number] = job.map { PendingHookEvent(hook: hook.name, event: $0.event) }
        return task
    }

    private func perform(_ hook: Hook, _ event: Event, key: HookQueue.Key?, task: Int64) async -> HookRun {
        let (run, left) = await launcher.run(hook, on: event)
        runs.tasks[task] = nil
        runs.events[task] = nil
        if let key {
            if inForce[hook.name] != nil { statistics.record(run, of: hook.name) }
            let now = BootTime.now().milliseconds
            pauses.ended(key, now: now)
            queue.finish(key, now: now)
        }
        notify(.ended(hook: hook.name, run: run, left: left))
        if key != nil { advance() }
        return run
    }

    private func report(_ offer: HookQueue.Offer, of event: EventRecord, to name: String, counts: HookCounters) {
        switch offer {
        case .cut where counts.cut.nonzeroBitCount == 1:
            notify(
                .cut(
                    hook: name, event: event.draft.summary, cause: HookCause(event.draft.cause).description,
                    count: counts.cut))
        case .deferred where counts.deferred.nonzeroBitCount == 1:
            notify(.deferred(hook: name, event: event.draft.summary, count: counts.deferred))
        case .dropped where counts.dropped.nonzeroBitCount == 1:
            notify(.dropped(hook: name, event: event.draft.summary, count: counts.dropped))
        case .delayed where counts.delayed.nonzeroBitCount == 1:
            notify(.delayed(hook: name, event: event.draft.summary, count: counts.delayed))
        default: break
        }
    }
}

/// An error that keeps a hook from being tested.
package struct HookTestError: Error, Equatable, CustomStringConvertible {
    /// The kinds of error.
    package enum Code: Sendable, Equatable {
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
        case .busy: "hook \(name) cannot be tested now: other tests are running; try again when they have ended"
        }
    }
}
