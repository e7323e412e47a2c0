internal import SystemPackage

/// Runs what blocks (file contents, their syncs, hashing) in slices on a thread of its own, in the order of arrival.
///
/// The thread is made by the first slice and ends when none has come for `idleExit`; the next one starts another. So a
/// service that has nothing to do has no such thread, and nothing wakes it but that one end.
package final class Worker: Sendable {
    /// The most bytes that one slice should read, write or hash, so that others get their turns.
    package static let sliceSize = 1 << 20

    private let executor: ThreadExecutor
    private let lane: Lane

    /// Makes a worker; its thread is named `name` (15 bytes of it).
    package convenience init(name: String = "worker", idleExit: Duration = .seconds(10)) {
        self.init(executor: ThreadExecutor(name: name, idleExit: idleExit))
    }

    init(executor: ThreadExecutor) {
        self.executor = executor
        lane = Lane(executor: executor)
    }

    /// Runs a slice on the thread, behind all that came before it, and comes back to where the caller runs.
    ///
    /// A slice whose task is cancelled before its turn is left out; one that has begun runs to its end.
    ///
    /// - Parameter slice: What to do; at most ``sliceSize`` bytes of work.
    /// - Returns: What the slice returned.
    /// - Throws: The slice's own error as it is, `CancellationError` where the slice was left out, ``WorkerError`` where
    ///   no thread could be made.
    package func run<T: Sendable>(_ slice: @escaping @Sendable () throws -> T) async throws -> T {
        try Task.checkCancellation()
        do throws(Errno) {
            try executor.reserve()
        } catch {
            throw WorkerError(underlying: error)
        }
        return try await lane.run(slice)
    }

    /// Runs the slices that are queued, then ends the thread and waits for its end.
    ///
    /// A slice that comes later starts it anew. Must not be called in a slice.
    package func shutdown() { executor.shutdown() }

    /// Whether the thread runs at present.
    package var isRunning: Bool { executor.isRunning }
}

/// What puts a slice into the executor's queue: a call of an actor is a job of its executor.
private actor Lane {
    private nonisolated let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(executor: ThreadExecutor) { self.executor = executor }

    func run<T: Sendable>(_ slice: @Sendable () throws -> T) throws -> T {
        try Task.checkCancellation()
        return try slice()
    }
}
