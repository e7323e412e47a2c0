import Synchronization

/// The places for boards: as many as run at a time, in the order in which tests ask for them.
///
/// The kernel has limits for each user, such as 128 queues of inotify(7) (`fs.inotify.max_user_instances`), and each
/// service takes one.
final class BoardPlaces: Sendable {
    /// The places of this process.
    static let shared = BoardPlaces(48)

    /// True in a test that has a place; a second board of its own needs no further one.
    @TaskLocal private static var hasPlace = false

    private struct State {
        var free: Int
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    private let state: Mutex<State>

    private init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Runs a closure once there is a place for it.
    func withPlace<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        if Self.hasPlace { return try await body() }
        await take()
        defer { leave() }
        return try await Self.$hasPlace.withValue(true) { try await body() }
    }

    private func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiters.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.waiters.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
