package import CleatIO
internal import Synchronization

/// Runs a test's body on an event loop of its own, on a thread of its own.
package func withLoop<T: Sendable>(_ body: @escaping @Sendable (EventLoop) async throws -> T) async throws -> T {
    let loop = try EventLoop()
    let thread = ThreadExecutor(name: "test-loop")
    defer { thread.shutdown() }
    return try await Task(executorPreference: thread) {
        try loop.block { try await body(loop) }
    }.value
}

/// Waits until the task is cancelled.
package func untilCancelled() async throws -> Never {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
}
