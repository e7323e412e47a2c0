/// Runs actors and tasks that block, one job after another, on a thread of its own.
///
/// The thread is started by the first job, and keeps the executor alive until it ends: with ``shutdown()``, or with
/// `idleExit` after so long without work. The next job starts another.
package final class ThreadExecutor: SerialExecutor, TaskExecutor, Sendable {
    private struct State {
        var jobs = JobQueue()
        var thread: Thread?
        var token: UInt = 0
        var stopping = false
    }

    private let name: String
    private let idleExit: Duration?
    private let gate = Gate()
    /// Only touched with the gate locked.
    private nonisolated(unsafe) var state = State()

    /// Makes an executor; its thread is named `name` (15 bytes of it).
    package init(name: String, idleExit: Duration? = nil) {
        self.name = name
        self.idleExit = idleExit
    }

    /// Hands a job to the thread, and starts the thread where there is none.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        gate.lock()
        defer { gate.unlock() }
        unsafe state.jobs.append(job)
        if unsafe state.thread == nil {
            start()
        } else {
            gate.signal()
        }
    }

    /// Runs what is queued, then ends the thread and waits for its end.
    ///
    /// A later job starts it anew.
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

    /// Whether the caller is on the executor's thread.
    package var isCurrent: Bool {
        gate.lock()
        defer { gate.unlock() }
        return isCurrentLocked
    }

    /// Whether the thread runs at present.
    package var isRunning: Bool {
        gate.lock()
        defer { gate.unlock() }
        return unsafe state.thread != nil
    }

    private var isCurrentLocked: Bool { unsafe state.token == Kernel.thread }

    /// Tells whether two executors are the same.
    package func isSameExclusiveExecutionContext(other: ThreadExecutor) -> Bool { self === other }

    /// Traps unless the caller is on the executor's thread.
    package func checkIsolated() { precondition(isCurrent, "not on the thread \(name)") }

    /// Tells whether the caller is on the executor's thread.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    private func start() {
        do {
            unsafe state.thread = try Thread(name: name) { self.run() }
        } catch {
            // Without its thread nothing that waits for this executor can ever go on.
            preconditionFailure("cannot start the thread \(name): \(error)")
        }
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
            if unsafe state.stopping { break }
            let timedOut = gate.wait(milliseconds: idleExit?.milliseconds)
            if timedOut, unsafe state.jobs.isEmpty, unsafe !state.stopping {
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
