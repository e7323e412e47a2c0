internal import CLinux
internal import SystemPackage

/// The event buffer of `epoll_wait`, used only by the loop's thread.
@safe
struct Poller: ~Copyable, @unchecked Sendable {  // Only the thread that runs the loop polls.
    private let events: UnsafeMutablePointer<clinux_ready>

    init() {
        unsafe events = .allocate(capacity: Int(clinux_epoll_batch))
        unsafe events.initialize(repeating: clinux_ready(), count: Int(clinux_epoll_batch))
    }

    deinit { unsafe events.deallocate() }

    /// Waits for events and passes each to `body`.
    borrowing func poll(_ epoll: Int32, block: Bool, _ body: (_ key: UInt64, _ events: PollEvents) -> Void) {
        let count = unsafe clinux_epoll_wait(epoll, events, block ? -1 : 0)
        // Interrupted by a signal: the loop polls again at once.
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let event = unsafe events[index]
            body(event.key, PollEvents(rawValue: event.events))
        }
    }
}
