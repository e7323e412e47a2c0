internal import Synchronization
internal import SystemPackage

/// The timers of a loop, and the kernel's timer that fires for the earliest. `timerfd_create(2)`
struct LoopTimers: ~Copyable, Sendable {
    struct State {
        var queue = TimerQueue<@Sendable () -> Void>()
        /// The instant that the kernel's timer is armed for; 0 if it is disarmed.
        var armed: Int64 = 0
    }

    /// The kernel's timer; it becomes readable when it fires.
    let descriptor: Descriptor
    private let state = Mutex(State())

    init() throws(Errno) {
        descriptor = Descriptor(owning: try Kernel.timerCreate())
    }

    /// The number of pending timers.
    var count: Int { state.withLock { $0.queue.count } }

    func add(_ deadline: BootTime, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        state.withLock { $0.queue.add(deadline: deadline.nanoseconds, body) }
    }

    func cancel(_ token: TimerToken) -> Bool { state.withLock { $0.queue.cancel(token) } != nil }

    /// Arms the kernel's timer for the earliest deadline, right before the loop waits: a timer that is added and
    /// cancelled between two waits costs no system call.
    func arm() {
        let wanted = state.withLock { state -> Int64? in
            let wanted = state.queue.first.map { max($0, 1) } ?? 0
            guard wanted != state.armed else { return nil }
            state.armed = wanted
            return wanted
        }
        if let wanted { Kernel.timerArm(descriptor.rawValue, at: wanted) }
    }

    /// Calls the bodies of the timers that are due.
    func fire() {
        state.withLock { $0.armed = 0 }
        let now = Kernel.bootNanoseconds
        while let body = state.withLock({ $0.queue.popFirst(dueBy: now) }) { body() }
    }
}
