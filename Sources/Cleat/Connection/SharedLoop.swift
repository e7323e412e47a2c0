import CleatIO
import Synchronization
import SystemPackage

/// The thread on which all clients of this process wait for their services: made for the first, ended with the last.
enum SharedLoop {
    private struct Slot {
        weak var thread: LoopThread?
    }

    private static let slot = Mutex(Slot())

    /// Gives the thread, which runs for as long as somebody holds it.
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
