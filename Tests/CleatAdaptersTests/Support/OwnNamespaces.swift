import CTestKernel
import CleatIO
import CleatTestSupport
import SystemPackage

/// Mounts, a network and a host name that belong to one thread of a test.
enum OwnNamespaces {
    /// Why tests that need them are skipped.
    static let reason = "needs root, to make namespaces of its own"

    /// Returns true if this process may make them; no program is needed for it.
    @Sendable static func areAvailable() async -> Bool {
        do {
            try await run {}
            return true
        } catch {
            return false
        }
    }

    /// Runs a test's body on a thread with namespaces of its own, and temporary directories in memory: each write is
    /// flushed, which a disk takes its time for.
    static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let thread = ThreadExecutor(name: "namespaces")
        defer { thread.shutdown() }
        return try await Task(executorPreference: thread) {
            let result = ctest_enter_namespaces()
            guard result == 0 else { throw Errno(rawValue: 0 - result) }
            let mounted = unsafe ctest_mount_memory(TemporaryDirectory.parent)
            guard mounted == 0 else { throw Errno(rawValue: 0 - mounted) }
            return try body()
        }.value
    }
}
