package import CleatIO
import SystemPackage

/// The thread with the event loop of all clients of this process; it starts with the first and ends with the last.
package enum SharedLoop {
    /// Returns the thread, which runs for as long as a reference to it exists.
    package static func take() throws(CleatError) -> LoopThread {
        do throws(Errno) {
            return try LoopThread.shared()
        } catch {
            throw CleatError(.failed, "no thread and no loop can be made for the settings: \(error)")
        }
    }
}
