internal import CLinux
package import SystemPackage

/// A POSIX thread with an explicit stack: musl's default of 128 KiB is too small for Swift code.
package struct Thread: Sendable {
    static let stackSize = 1 << 20

    private let handle: UInt

    /// Starts a thread that runs `body` with every signal blocked.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        var handle: UInt = 0
        let argument = unsafe Unmanaged.passRetained(ThreadBody(body))
        let result = unsafe clinux_thread_start(
            &handle,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let body = unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
                body.run()
                return nil
            }, argument.toOpaque(), Thread.stackSize, String(name.prefix(15)))
        guard result == 0 else {
            unsafe argument.release()
            throw Errno(rawValue: 0 &- result)
        }
        self.handle = handle
    }

    /// Waits until the body has returned.
    package func join() { clinux_thread_join(handle) }
    func detach() { clinux_thread_detach(handle) }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// A lock with a condition, for a thread that waits for work.
@safe
final class Gate: @unchecked Sendable {  // The pointer never changes, and what it points to is made for sharing.
    private let gate: OpaquePointer

    init() {
        guard let gate = unsafe clinux_gate_create() else { preconditionFailure("out of memory") }
        unsafe self.gate = unsafe gate
    }

    deinit { unsafe clinux_gate_destroy(gate) }

    func lock() { unsafe clinux_gate_lock(gate) }
    func unlock() { unsafe clinux_gate_unlock(gate) }
    func signal() { unsafe clinux_gate_signal(gate) }

    /// Waits for a signal; returns true if `milliseconds` passed without one.
    ///
    /// Nil waits without a time limit.
    func wait(milliseconds: Int64?) -> Bool { unsafe clinux_gate_wait(gate, milliseconds ?? -1) == 1 }
}
