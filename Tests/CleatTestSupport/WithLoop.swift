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

/// Waits until a condition holds, looking again every few milliseconds; false when the deadline came first.
package func eventually(
    within limit: Duration = .seconds(60).onThisMachine, _ condition: @escaping @Sendable () async throws -> Bool
) async throws -> Bool {
    let deadline = BootTime.now().advanced(by: limit)
    while true {
        if try await condition() { return true }
        if BootTime.now() >= deadline { return false }
        try await Task.sleep(for: .milliseconds(5))
    }
}

extension EventLoop {
    /// Waits on the loop until a condition holds; false when the deadline came first.
    package func eventually(
        within limit: Duration = .seconds(60).onThisMachine, _ condition: @Sendable () async throws -> Bool
    ) async throws -> Bool {
        let deadline = BootTime.now().advanced(by: limit)
        while true {
            if try await condition() { return true }
            if BootTime.now() >= deadline { return false }
            try await sleep(for: .milliseconds(2))
        }
    }
}
