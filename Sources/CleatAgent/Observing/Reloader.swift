import CleatAPI
import CleatIO
import Synchronization

/// Reads the board's files again, on SIGHUP and for `dev.cleat.Settings.Reload`; one reload follows the other.
final class Reloader: Sendable {
    /// The function that reads the files; by itself each access to the mutex would wrap it once more.
    private struct Work {
        let read: @Sendable () async -> Void
    }

    private let turn = AsyncMutex()
    private let work = Mutex<Work?>(nil)

    /// Sets the function that reads the files; nil once the service ends.
    func attach(_ work: (@Sendable () async -> Void)?) { self.work.withLock { $0 = work.map(Work.init(read:)) } }

    /// Reads the files, and returns once they are in force.
    ///
    /// - Throws: `APIError` if the service has not started yet, or ends.
    func reload() async throws(APIError) {
        guard let work = work.withLock({ $0 }) else {
            throw .storeFailed(
                code: "not-serving", message: "the service is starting or stopping; nothing was reloaded; try again")
        }
        await turn.withLock { await work.read() }
    }
}
