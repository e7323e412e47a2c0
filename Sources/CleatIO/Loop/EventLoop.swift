internal import Synchronization
package import SystemPackage

/// Runs every task and actor of the service on one thread, together with the I/O that they wait for.
///
/// The loop is an epoll loop that is also a serial executor and a task executor: a job that a descriptor, a timer or a
/// signal makes ready runs on the same thread that received the event, so a request is answered without a thread
/// switch. An idle loop blocks in one `epoll_wait` without a time limit.
///
/// Actors join it with `nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }`,
/// tasks are started with ``task(name:_:)-(_,()->T)``. A plain `Task {}` outside of an actor, `Task.detached`,
/// `Task.sleep` and `Task.yield` leave it for the default pool, and so do the child tasks of a `Task {}` inside of an actor.
package final class EventLoop: SerialExecutor, TaskExecutor, Sendable {
    /// The number of jobs that run before the loop polls its descriptors again.
    private static let batch = 256
    private static let wakeKey = UInt64.max
    private static let timerKey = UInt64.max - 1

    private let epoll: Descriptor
    private let wakeup: Descriptor

    /// The token of the thread that is in ``run()``, or 0.
    private let owner = Atomic<UInt>(0)
    private let stopRequested = Atomic<Bool>(false)
    /// The jobs that other threads have enqueued.
    private let incoming = Mutex<[UnownedJob]>([])
    private let registrations = Mutex(RegistrationTable())
    private let timers: LoopTimers
    private let turns = Mutex<[@Sendable () -> Void]>([])

    // Accessed only by the thread in `run`.
    private nonisolated(unsafe) var ready = JobQueue()
    private let poller = Poller()

    /// Opens a loop.
    ///
    /// The process ignores SIGPIPE from here on unless `ignoringBrokenPipes` is false: a library leaves signal handling
    /// to its program, and writes to sockets only.
    package init(ignoringBrokenPipes: Bool = true) throws(Errno) {
        if ignoringBrokenPipes { Kernel.prepareSignals() }
        epoll = Descriptor(owning: try Kernel.epollCreate())
        wakeup = Descriptor(owning: try Kernel.eventCreate())
        timers = try LoopTimers()
        // Edge-triggered, so neither descriptor ever has to be read.
        try Kernel.epollAdd(epoll.rawValue, wakeup.rawValue, [.readable, .edge], key: Self.wakeKey)
        try Kernel.epollAdd(epoll.rawValue, timers.descriptor.rawValue, [.readable, .edge], key: Self.timerKey)
    }

    // MARK: Running

    /// Runs jobs and I/O on the calling thread until ``stop()`` is called.
    ///
    /// Jobs that are ready when the loop is stopped wait for the next run.
    package func run() {
        let (claimed, _) = owner.compareExchange(
            expected: 0, desired: Kernel.thread, ordering: .acquiringAndReleasing)
        precondition(claimed, "an event loop runs on one thread at a time")
        defer { owner.store(0, ordering: .releasing) }
        while true {
            adoptIncoming()
            runJobs()
            if stopRequested.exchange(false, ordering: .acquiringAndReleasing) { return }
            timers.arm()
            let idle = unsafe ready.isEmpty && turns.withLock { $0.isEmpty }
            poller.poll(epoll.rawValue, block: idle) { key, events in
                switch key {
                case Self.wakeKey: break
                case Self.timerKey: timers.fire()
                default: registrations.withLock { $0[key] }?.deliver(events)
                }
            }
            runTurns()
        }
    }

    /// Makes ``run()`` return soon.
    ///
    /// It can be called from any thread.
    package func stop() {
        stopRequested.store(true, ordering: .releasing)
        wake()
    }

    /// True if the caller is on the loop's thread.
    package var isCurrent: Bool { owner.load(ordering: .acquiring) == Kernel.thread }

    private func wake() { Kernel.eventSignal(wakeup.rawValue) }

    private func adoptIncoming() {
        incoming.withLock { jobs in
            guard !jobs.isEmpty else { return }
            unsafe ready.append(contentsOf: jobs)
            jobs.removeAll(keepingCapacity: jobs.capacity <= 1024)
        }
    }

    private func runJobs() {
        let serial = unsafe asUnownedSerialExecutor()
        let task = unsafe asUnownedTaskExecutor()
        for _ in 0..<Self.batch {
            guard let job = unsafe ready.popFirst() else { return }
            // Both executors are passed, so a task that prefers this loop and an actor that runs on it switch without a
            // hop.
            unsafe job.runSynchronously(isolatedTo: serial, taskExecutor: task)
        }
    }

    // MARK: Executor

    /// Adds a job to the loop's queue; from the loop's own thread without a system call.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            unsafe ready.append(job)
            return
        }
        let first = incoming.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if first { wake() }
    }

    /// Returns true if both executors are the same loop.
    package func isSameExclusiveExecutionContext(other: EventLoop) -> Bool { self === other }

    /// Traps unless the caller is on the loop's thread.
    package func checkIsolated() { precondition(isCurrent, "not on the event loop's thread") }

    /// Returns true if the caller is on the loop's thread.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: Turns

    /// Calls `body` on the loop's thread after the next poll of the descriptors.
    func nextTurn(_ body: @escaping @Sendable () -> Void) {
        turns.withLock { $0.append(body) }
        if !isCurrent { wake() }
    }

    private func runTurns() {
        let due = turns.withLock { turns in
            guard !turns.isEmpty else { return [@Sendable () -> Void]() }
            defer { turns = [] }
            return turns
        }
        for body in due { body() }
    }

    // MARK: Timers

    /// Calls `body` on the loop's thread once `deadline` is reached.
    package func addTimer(_ deadline: BootTime, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        let token = timers.add(deadline, body)
        if !isCurrent { wake() }
        return token
    }

    /// Cancels a timer; returns false if it has already fired.
    @discardableResult
    package func cancelTimer(_ token: TimerToken) -> Bool { timers.cancel(token) }

    /// The number of pending timers; at 0 the loop disarms the kernel's timer.
    package var pendingTimers: Int { timers.count }

    // MARK: Registrations

    /// Registers a descriptor, edge-triggered, until the readiness is closed or released.
    ///
    /// The caller keeps the descriptor open until then, and closes the readiness first. A regular file, which epoll
    /// refuses, counts as always ready. `epoll_ctl(2)`
    package func register(_ fd: FileDescriptor) throws(Errno) -> Readiness {
        Readiness(try register(fd.rawValue, handler: nil))
    }

    /// Registers a descriptor whose events are passed to a function on the loop's thread.
    func register(
        _ fd: Int32, handler: (@Sendable (PollEvents) -> Void)?
    ) throws(Errno) -> Registration {
        let registration = registrations.withLock { table in
            table.add { Registration(loop: self, fd: fd, key: $0, handler: handler) }
        }
        do throws(Errno) {
            try Kernel.epollAdd(epoll.rawValue, fd, Registration.resting, key: registration.key)
        } catch {
            registrations.withLock { _ = $0.remove(registration.key) }
            guard error == .notPermitted, handler == nil else { throw error }
            registration.becomeAlwaysReady()
        }
        return registration
    }

    func modify(_ registration: Registration, _ events: PollEvents) throws(Errno) {
        try Kernel.epollModify(epoll.rawValue, registration.fd, events, key: registration.key)
    }

    func remove(_ registration: Registration) {
        if registrations.withLock({ $0.remove(registration.key) }) {
            Kernel.epollRemove(epoll.rawValue, registration.fd)
        }
    }

    /// The number of registered descriptors.
    package var registeredDescriptors: Int { registrations.withLock { $0.count } }
}
