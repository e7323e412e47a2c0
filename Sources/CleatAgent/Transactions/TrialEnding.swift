import CleatAPI
import Synchronization

/// A caller that waits for the end of a change on trial.
final class TrialEnding: Sendable {
    private struct State {
        var outcome: Result<TransactionsInterface.End, any Error>?
        var waiter: CheckedContinuation<TransactionsInterface.End, any Error>?
    }

    /// The id of the change.
    let id: String
    private let state = Mutex(State())

    init(of id: String) {
        self.id = id
    }

    /// Waits for the end; there is one waiter.
    ///
    /// - Throws: The failure of the change, or `CancellationError`.
    func wait() async throws -> TransactionsInterface.End {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiter = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    /// Reports the end; only the first call counts.
    func finish(_ outcome: Result<TransactionsInterface.End, any Error>) {
        let waiter = state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
            return state.waiter.take()
        }
        waiter?.resume(with: outcome)
    }
}
