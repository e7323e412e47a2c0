package import SystemPackage

/// Runs actors and tasks that block, one job after another, on a thread of its own.
///
/// The thread is started by the first job and keeps the executor alive until it ends: at ``shutdown()``, or after
/// `idleExit` without work. The next job starts another thread.
package final class ThreadExecutor: SerialExecutor, TaskExecutor, Sendable {
    private struct State {
        var jobs = JobQueue()
        var thread: Thread?
        var token: UInt = 0
        var stopping = false
        /// The number of jobs that have reserved the thread and have not arrived yet.
        var reserved = 0
    }

    /// Starts a thread; a test replaces it to make the start fail.
    typealias Starter = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) -> Thread

    private let name: String
    private let idleExit: Duration?
    private let starter: Starter
    private let onJob: (@Sendable () -> Void)?
    private let gate = Gate()
    /// Accessed only with the gate locked.
    private nonisolated(unsafe) var state = State()

    /// Makes an executor.
    ///
    /// - Parameters:
    ///   - name: The name of its thread, cut to 15 bytes.
    ///   - idleExit: The time without work after which the thread ends; nil for never.
    ///   - onJob: Called for each job that is passed to the thread, so that tests can count them; nil in production.
    package convenience init(
        name: String, idleExit: Duration? = nil, onJob: (@Sendable () -> Void)? = nil
    ) {
        self.init(name: name, idleExit: idleExit, onJob: onJob) { name, body throws(Errno) in
            try Thread(name: name, body)
        }
    }

    init(
        name: String, idleExit: Duration?, onJob: (@Sendable () -> Void)? = nil, starter: @escaping Starter
    ) {
        self.name = name
        self.idleExit = idleExit
        self.onJob = onJob
        self.starter = starter
    }

    /// Ensures that a thread is running, and keeps it waiting until the next job arrives.
    ///
    /// ``enqueue(_:)`` cannot fail, so this call reports that no thread can be started. The job must follow.
    /// - Throws: The error of pthread_create(3).
    package func reserve() throws(Errno) {
        gate.lock()
        defer { gate.unlock() }
        if unsafe state.thread == nil { try start() }
        unsafe state.reserved += 1
    }

    /// Passes a job to the thread; starts the thread if none is running.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        onJob?()
        gate.lock()
        defer { gate.unlock() }
        unsafe state.jobs.append(job)
        if unsafe state.reserved > 0 { unsafe state.reserved -= 1 }
        guard unsafe state.thread == nil else {
            gate.signal()
            return
        }
        do throws(Errno) {
            try start()
        } catch {
            // Without the thread, nothing that waits for this executor could ever continue.
            preconditionFailure("cannot start the thread \(name): \(error)")
        }
    }

    /// Runs the queued jobs, then ends the thread and waits for its end.
    ///
    /// A later job starts the thread again.
    ///
    /// Must not be called on the thread itself.
    package func shutdown() {
        gate.lock()
        guard !isCurrentLocked, let thread = unsafe state.thread else {
            gate.unlock()
            return
        }
        unsafe state.stopping = true
        gate.signal()
        gate.unlock()
        thread.join()
    }

    /// True if the caller is on the executor's thread.
    package var isCurrent: Bool {
        gate.lock()
        defer { gate.unlock() }
        return isCurrentLocked
    }

    /// True if the thread is running.
    package var isRunning: Bool {
        gate.lock()
        defer { gate.unlock() }
        return unsafe state.thread != nil
    }

    private var isCurrentLocked: Bool { unsafe state.token == Kernel.thread }

    /// Returns true if both executors are the same.
    package func isSameExclusiveExecutionContext(other: ThreadExecutor) -> Bool { self === other }

    /// Traps unless the caller is on the executor's thread.
    package func checkIsolated() { precondition(isCurrent, "not on the thread \(name)") }

    /// Returns true if the caller is on the executor's thread.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Starts the thread, which first waits for the gate that the caller holds.
    private func start() throws(Errno) {
        unsafe state.thread = try starter(name) { self.run() }
    }

    private func run() {
        let serial = unsafe asUnownedSerialExecutor()
        let task = unsafe asUnownedTaskExecutor()
        gate.lock()
        unsafe state.token = Kernel.thread
        while true {
            if let job = unsafe state.jobs.popFirst() {
                gate.unlock()
                unsafe job.runSynchronously(isolatedTo: serial, taskExecutor: task)
                gate.lock()
                continue
            }
            if unsafe state.stopping && state.reserved == 0 { break }
            let timedOut = gate.wait(milliseconds: idleExit?.milliseconds)
            if timedOut, unsafe state.jobs.isEmpty && state.reserved == 0 && !state.stopping {
                unsafe state.thread?.detach()
                break
            }
        }
        unsafe state.token = 0
        unsafe state.stopping = false
        unsafe state.thread = nil
        gate.unlock()
    }
}
