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
