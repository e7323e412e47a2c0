internal import Synchronization

extension EventLoop {
    /// Starts a task on the loop.
    @discardableResult
    package func task<T>(
        name: String? = nil, _ body: sending @escaping @isolated(any) () async -> T
    ) -> Task<T, Never> where T: Sendable {
        .init(name: name, executorPreference: self, operation: body)
    }

    /// Starts a task on the loop that can throw; the error is kept in the task's result.
    @discardableResult
    package func task<T>(
        name: String? = nil, _ body: sending @escaping @isolated(any) () async throws -> T
    ) -> Task<T, any Error> where T: Sendable {
        .init(name: name, executorPreference: self, operation: body)
    }

    /// Runs the loop on the calling thread until `body` has ended, and returns its result.
    package func block<T: Sendable>(on body: @escaping @Sendable () async throws -> T) throws -> T {
        let outcome = Outcome<T>()
        task(name: "block") {
            do {
                outcome.set(.success(try await body()))
            } catch {
                outcome.set(.failure(error))
            }
            self.stop()
        }
        while true {
            run()
            if let result = outcome.value { return try result.get() }
        }
    }

    /// Lets all other ready work run first: jobs, timers and descriptors.
    package func yield() async {
        await unsafe withUnsafeContinuation { continuation in
            nextTurn { unsafe continuation.resume() }
        }
    }
}

private final class Outcome<T: Sendable>: Sendable {
    private let result = Mutex<Result<T, any Error>?>(nil)
    var value: Result<T, any Error>? { result.withLock { $0 } }
    func set(_ value: Result<T, any Error>) { result.withLock { $0 = value } }
}

extension EventLoop {
    /// Waits until an instant of CLOCK_BOOTTIME, which includes the time that the board is suspended.
    package func sleep(until deadline: BootTime) async throws(CancellationError) {
        try await Sleeper(loop: self).wait(until: deadline)
    }

    /// Waits for a duration, suspensions included.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        try await self.sleep(until: .now().advanced(by: duration))
    }

    /// Runs `body` as a task on the loop, cancels it at the time limit, and then throws ``DeadlineExceeded``.
    ///
    /// The call returns once `body` has ended, so the time limit holds only as far as `body` responds to cancellation.
    package func withDeadline<T: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let expired = Flag()
        let work = task { try await body() }
        let timer = addTimer(.now().advanced(by: limit)) {
            expired.set()
            work.cancel()
        }
        defer { cancelTimer(timer) }
        return try await withTaskCancellationHandler {
            do {
                return try await work.value
            } catch {
                if expired.isSet { throw DeadlineExceeded(limit: limit) }
                throw error
            }
        } onCancel: {
            work.cancel()
        }
    }
}

/// The error of an operation that exceeded its time limit.
package struct DeadlineExceeded: Error, Sendable, CustomStringConvertible {
    /// The limit that was set.
    package let limit: Duration
    /// A message with the time limit in milliseconds.
    package var description: String { "no result within \(limit.milliseconds) ms" }
}

private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

/// One wait for a timer; the timer, a call and a cancellation race for its continuation.
final class Sleeper: Sendable {
    @safe
    private struct State {
        var continuation: UnsafeContinuation<Bool, Never>?
        var timer: TimerToken?
        /// The outcome of a wait that was ended by a call; nil until then.
        var outcome: Bool?
    }

    private let loop: EventLoop
    private let state = Mutex(State())

    init(loop: EventLoop) { self.loop = loop }

    /// Waits until an instant, or for ever; once.
    func wait(until deadline: BootTime?) async throws(CancellationError) {
        let woke = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in unsafe begin(continuation, until: deadline) }
        } onCancel: {
            end(false)
        }
        guard woke else { throw CancellationError() }
    }

    private func begin(_ continuation: UnsafeContinuation<Bool, Never>, until deadline: BootTime?) {
        let outcome = state.withLock { state in
            if state.outcome == nil { unsafe state.continuation = unsafe continuation }
            return state.outcome
        }
        if let outcome { return unsafe continuation.resume(returning: outcome) }
        guard let deadline else { return }
        let timer = loop.addTimer(deadline) { self.finish(true) }
        let late = state.withLock { state in
            state.timer = timer
            return unsafe state.continuation == nil
        }
        if late { loop.cancelTimer(timer) }
    }

    /// Ends the wait, also one that has not started yet: as if its instant had come, or as a cancellation.
    func end(_ outcome: Bool) {
        let timer = state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
            return state.timer
        }
        if let timer { loop.cancelTimer(timer) }
        finish(outcome)
    }

    private func finish(_ value: Bool) {
        let continuation = unsafe state.withLock { state in
            let continuation = unsafe state.continuation
            unsafe state.continuation = nil
            return unsafe continuation
        }
        unsafe continuation?.resume(returning: value)
    }
}
