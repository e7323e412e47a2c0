internal import CLinux
internal import Synchronization
package import SystemPackage

/// The result of a task, which a thread waits for; the thread must not be one that the task needs.
package final class BlockingOutcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isSet: Descriptor

    /// Creates an outcome without a result. `eventfd(2)`
    package init() throws(Errno) { isSet = Descriptor(owning: try Kernel.eventCreate()) }

    /// Sets the result, once.
    package func set(_ result: Result<Value, any Error>) {
        self.result.withLock { $0 = result }
        Kernel.eventSignal(isSet.rawValue)
    }

    /// Blocks until the result is set.
    ///
    /// - Parameter limit: The time limit.
    /// - Returns: The result; nil once the time is over.
    /// - Throws: The error of poll(2).
    package func wait(within limit: Duration) throws(Errno) -> Result<Value, any Error>? {
        let deadline = BootTime.now().advanced(by: limit)
        while true {
            if let result = result.withLock({ $0 }) { return result }
            let left = deadline.milliseconds - BootTime.now().milliseconds
            guard left > 0 else { return nil }
            do throws(Errno) {
                try Kernel.check(clinux_wait_ready(isSet.rawValue, 0, left))
            } catch {
                if error != .interrupted { throw error }
            }
        }
    }
}
