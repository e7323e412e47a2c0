internal import Synchronization
package import SystemPackage

/// Runs an event loop on a thread of its own, for a program whose main thread does other work.
///
/// The thread ends soon after the last reference is released. A caller that waits for something on the loop holds a
/// reference.
package final class LoopThread: Sendable {
    /// The loop.
    package let loop: EventLoop
    private let thread: Thread

    /// Starts the thread with every signal blocked; `name` is its name, cut to 15 bytes. pthread_create(3)
    ///
    /// The process's handling of SIGPIPE is not changed.
    package init(name: String) throws(Errno) {
        let loop = try EventLoop(ignoringBrokenPipes: false)
        self.loop = loop
        thread = try Thread(name: name) { loop.run() }
    }

    deinit {
        // The last reference may be released on the thread itself, so it cannot be joined here.
        loop.stop()
        thread.detach()
    }
}

extension LoopThread {
    private struct Slot {
        weak var thread: LoopThread?
    }

    private static let slot = Mutex(Slot())

    /// Returns the thread that the libraries of this process share, which runs for as long as a reference to it exists.
    ///
    /// - Throws: The reason why no thread or no loop can be made.
    package static func shared() throws(Errno) -> LoopThread {
        try slot.withLock { slot -> Result<LoopThread, Errno> in
            if let thread = slot.thread { return .success(thread) }
            return Result { () throws(Errno) in
                let thread = try LoopThread(name: "cleat")
                slot.thread = thread
                return thread
            }
        }.get()
    }
}
