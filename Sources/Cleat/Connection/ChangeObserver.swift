import Synchronization

/// An observer of one path: it is notified of a possible change, and then reads the present value.
///
/// Changes that arrive while it is busy are merged into one notification, so nothing accumulates.
final class ChangeObserver: Sendable {
    @safe
    private struct State {
        var isStale = false
        var failure: CleatError?
        var isCancelled = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Notifies the observer of a possible change.
    func note() { wake { $0.isStale = true } }

    /// Ends the subscription with an error; the first error is kept.
    func fail(_ error: CleatError) { wake { $0.failure = $0.failure ?? error } }

    /// Waits for a notification; returns false if the task was cancelled.
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
