package import CleatIO

// A test waits for a condition, which is checked again until it holds. Tests sleep elsewhere only where the time is the
// subject (timers, a kill at a random instant), and where the kernel reports no event and the test library has no loop
// (`TemporaryDirectory`) or the probe has no test library (`observer-probe`).

/// Waits until a condition holds; false if the time limit passed first.
package func eventually(
    within limit: Duration = .seconds(60).onThisMachine, _ condition: @escaping @Sendable () async throws -> Bool
) async throws -> Bool {
    try await repeated(within: limit, condition) { try await Task.sleep(for: .milliseconds(5)) }
}

extension EventLoop {
    /// Waits on the loop until a condition holds; false if the time limit passed first.
    package func eventually(
        within limit: Duration = .seconds(60).onThisMachine, _ condition: @Sendable () async throws -> Bool
    ) async throws -> Bool {
        try await repeated(within: limit, condition) { try await sleep(for: .milliseconds(2)) }
    }
}

private func repeated(
    within limit: Duration, _ condition: () async throws -> Bool, pause: () async throws -> Void
) async throws -> Bool {
    let deadline = BootTime.now().advanced(by: limit)
    while true {
        if try await condition() { return true }
        if BootTime.now() >= deadline { return false }
        try await pause()
    }
}
