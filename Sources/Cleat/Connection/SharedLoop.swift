import CleatIO
import Synchronization
import SystemPackage

/// The thread with the event loop of all clients of this process; it starts with the first and ends with the last.
enum SharedLoop {
    private struct Slot {
        weak var thread: LoopThread?
    }

    private static let slot = Mutex(Slot())

    /// Returns the thread, which runs for as long as a reference to it exists.
    static func take() throws(CleatError) -> LoopThread {
        let result = slot.withLock { slot -> Result<LoopThread, Errno> in
            if let thread = slot.thread { return .success(thread) }
            do throws(Errno) {
                let thread = try LoopThread(name: "cleat")
                slot.thread = thread
                return .success(thread)
            } catch {
                return .failure(error)
            }
        }
        do throws(Errno) {
            return try result.get()
        } catch {
            throw CleatError(.failed, "no thread and no loop can be made for the settings: \(error)")
        }
    }
}
