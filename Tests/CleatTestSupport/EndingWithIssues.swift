import Synchronization
import Testing

/// Runs the body of an exit test, and throws once it has ended if an expectation in it failed.
///
/// An exit test fails by the exit status of its process. A failed `#expect` leaves that status as it is: the issue is
/// sent to the parent process in JSON, which a test program without the full Foundation does not have. An error that
/// the body throws makes the process exit with the status that the test does not expect, in every test program.
///
/// Issues of detached tasks and of threads that the body starts are not counted.
///
/// - Throws: an error of the body; `FailedExpectations` if issues were recorded while it ran.
package func endingWithIssues(_ body: @Sendable () async throws -> Void) async throws {
    let count = Mutex(0)
    try await withKnownIssue(isIntermittent: true) {
        try await body()
    } matching: { _ in
        count.withLock { $0 += 1 }
        // The issue stays a failure.
        return false
    }
    let failed = count.withLock { $0 }
    guard failed == 0 else { throw FailedExpectations(count: failed) }
}

/// Expectations that failed in the body of an exit test.
package struct FailedExpectations: Error, CustomStringConvertible {
    /// The number of recorded issues.
    package let count: Int

    package var description: String { "\(count) expectations failed" }
}
