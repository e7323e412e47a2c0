package import SystemPackage

/// Runs blocking work (file contents, their syncs, hashing) in slices on a thread of its own, in the order of arrival.
///
/// The thread is started by the first slice and ends when no slice has arrived for `idleExit`; the next one starts
/// another. So an idle service has no such thread.
package final class Worker: Sendable {
    /// The most bytes that one slice should read, write or hash, so that other slices are not delayed.
    package static let sliceSize = 1 << 20

    private let executor: ThreadExecutor
    private let lane: Lane

    /// Makes a worker.
    ///
    /// - Parameters:
    ///   - name: The name of its thread, cut to 15 bytes.
    ///   - idleExit: The time without slices after which the thread ends.
    ///   - onJob: Called for each slice that is passed to the thread, so that tests can count them; nil in production.
    package convenience init(
        name: String = "worker", idleExit: Duration = .seconds(10), onJob: (@Sendable () -> Void)? = nil
    ) {
        self.init(executor: ThreadExecutor(name: name, idleExit: idleExit, onJob: onJob))
    }

    init(executor: ThreadExecutor) {
        self.executor = executor
        lane = Lane(executor: executor)
    }

    /// Runs a slice on the thread, after all earlier slices, and returns on the caller's executor.
    ///
    /// A slice whose task is cancelled before it starts is skipped; one that has started runs to its end.
    ///
    /// - Parameter slice: The work, at most ``sliceSize`` bytes.
    /// - Returns: The result of the slice.
    /// - Throws: The slice's own error; `CancellationError` if the slice was skipped; ``WorkerError`` if no thread
    ///   could be started.
    package func run<T: Sendable>(_ slice: @escaping @Sendable () throws -> T) async throws -> T {
        try Task.checkCancellation()
        do throws(Errno) {
            try executor.reserve()
        } catch {
            throw WorkerError(underlying: error)
        }
        return try await lane.run(slice)
    }

    /// Runs the queued slices, then ends the thread and waits for its end.
    ///
    /// A later slice starts the thread again. Must not be called in a slice.
    package func shutdown() { executor.shutdown() }

    /// True if the thread is running.
    package var isRunning: Bool { executor.isRunning }
}

/// Puts slices into the executor's queue: a call of an actor is a job of its executor.
private actor Lane {
    private nonisolated let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(executor: ThreadExecutor) { self.executor = executor }

    func run<T: Sendable>(_ slice: @Sendable () throws -> T) throws -> T {
        try Task.checkCancellation()
        return try slice()
    }
}

/// The error of a worker that could not start its thread; the slice has not run.
package struct WorkerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason why the thread could not be started: usually EAGAIN, a limit on processes or memory.
    package let underlying: Errno

    /// Makes an error.
    package init(underlying: Errno) { self.underlying = underlying }

    /// One sentence with the reason and the remedy.
    package var description: String {
        "the system has no resources for the thread that handles files (\(underlying)): raise the service's limit on tasks, "
            + "or free memory, and try again"
    }
}
