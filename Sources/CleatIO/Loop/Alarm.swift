internal import Synchronization

/// Wakes a task that has something to do now and then: at an instant, or earlier when it is rung.
///
/// One task waits at a time. A ring while no task waits ends the next wait at once, so none is lost; several count
/// as one.
package final class Alarm: Sendable {
    private struct State {
        var isRung = false
        var sleeper: Sleeper?
    }

    private let loop: EventLoop
    private let state = Mutex(State())

    /// Creates an alarm whose instants are timers of a loop.
    package init(loop: EventLoop) { self.loop = loop }

    /// Ends the present wait, or the next one.
    package func ring() {
        let sleeper = state.withLock { state in
            guard let sleeper = state.sleeper.take() else {
                state.isRung = true
                return nil as Sleeper?
            }
            return sleeper
        }
        sleeper?.end(true)
    }

    /// Waits until the alarm is rung or an instant has come.
    ///
    /// - Parameter deadline: The instant, by CLOCK_BOOTTIME; nil to wait for a ring alone.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func wait(until deadline: BootTime? = nil) async throws(CancellationError) {
        let sleeper = Sleeper(loop: loop)
        let isRung = state.withLock { state in
            defer { state.isRung = false }
            if !state.isRung { state.sleeper = sleeper }
            return state.isRung
        }
        if isRung {
            if Task.isCancelled { throw CancellationError() }
            return
        }
        defer { state.withLock { if $0.sleeper === sleeper { $0.sleeper = nil } } }
        try await sleeper.wait(until: deadline)
    }
}
