package import SystemPackage

/// Runs an event loop on a thread of its own, for a program whose main thread has other things to do.
///
/// The thread ends soon after the last reference has gone. Whoever waits for something on the loop holds one.
package final class LoopThread: Sendable {
    /// The loop.
    package let loop: EventLoop
    private let thread: Thread

    /// Starts the thread, named `name` (15 bytes of it), with every signal blocked. pthread_create(3)
    ///
    /// The process goes on minding SIGPIPE as it did.
    package init(name: String) throws(Errno) {
        let loop = try EventLoop(ignoringBrokenPipes: false)
        self.loop = loop
        thread = try Thread(name: name) { loop.run() }
    }

    deinit {
        // It may be the thread itself that lets the last reference go, so nobody can wait for its end here.
        loop.stop()
        thread.detach()
    }
}
