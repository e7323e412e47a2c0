import Synchronization

/// One that follows a path: it is told that something may have changed, and reads what holds then.
///
/// However many changes come while it is busy, they are one when it looks: nothing grows.
final class Follower: Sendable {
    @safe
    private struct State {
        var isStale = false
        var failure: CleatError?
        var isCancelled = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Tells that the path may hold something else now.
    func note() { wake { $0.isStale = true } }

    /// Ends the following with an error.
    func fail(_ error: CleatError) { wake { $0.failure = $0.failure ?? error } }

    /// Waits until there may be something else to read; false where the task was cancelled.
    func wait() async throws(CleatError) -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isStale || state.failure != nil || state.isCancelled { return true }
                    state.continuation = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            wake { $0.isCancelled = true }
        }
        let (failure, isCancelled) = state.withLock { state in
            defer { state.isStale = false }
            return (state.failure, state.isCancelled)
        }
        if isCancelled { return false }
        if let failure { throw failure }
        return true
    }

    private func wake(_ change: (inout State) -> Void) {
        let continuation = state.withLock { state in
            change(&state)
            return state.continuation.take()
        }
        continuation?.resume()
    }
}
