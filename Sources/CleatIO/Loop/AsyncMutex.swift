internal import Synchronization

/// Mutual exclusion for work that suspends: one scope at a time, in the order of arrival.
///
/// A waiting task is not removed by its cancellation, so that the caller of a scope decides what a cancelled task still
/// does. The number of waiters is bounded by that of the tasks that can call.
package final class AsyncMutex: Sendable {
    private struct State {
        var isHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Creates a free mutex.
    package init() {}

    /// True if a scope holds the mutex.
    package var isHeld: Bool { state.withLock { $0.isHeld } }

    /// Waits until no other scope holds the mutex, then runs a scope that holds it, on the caller's executor.
    ///
    /// A scope must not enter another one of the same mutex: it would wait for itself.
    ///
    /// - Parameter body: The scope.
    /// - Returns: The result of the scope.
    /// - Throws: The error of the scope.
    package func withLock<R, E: Error>(_ body: () async throws(E) -> R) async throws(E) -> R {
        await lock()
        defer { unlock() }
        return try await body()
    }

    private func lock() async {
        let isFree = state.withLock { state in
            defer { state.isHeld = true }
            return !state.isHeld
        }
        guard !isFree else { return }
        await withCheckedContinuation { continuation in
            // The holder may have left in between.
            let isFree = state.withLock { state in
                guard state.isHeld else {
                    state.isHeld = true
                    return true
                }
                state.waiters.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func unlock() {
        state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiters.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst()
        }?.resume()
    }
}
