internal import CleatIO
internal import Synchronization

/// The bound on the memory of large messages over all connections of a server: only a limited number is assembled and
/// served at once.
///
/// A connection that has no memory is not read until others are done. A sender that holds memory, does not send its
/// share and makes others wait is disconnected, so that half a message cannot block the others for ever. While no
/// connection waits there is no timer, and a slow sender may take its time.
final class MessageBudget: Sendable {
    typealias Ticket = BudgetQueue.Ticket

    private struct State {
        var queue: BudgetQueue
        var tickets: Ticket = 0
        var waiters: [Ticket: CheckedContinuation<Void, any Error>] = [:]
        var evictions: [Ticket: @Sendable () -> Void] = [:]
        var timer: (at: BootTime, task: Task<Void, Never>)?
    }

    private let loop: EventLoop
    private let state: Mutex<State>

    init(loop: EventLoop, limits: VarlinkLimits) {
        self.loop = loop
        state = Mutex(
            State(
                queue: BudgetQueue(capacity: limits.largeMessages, share: limits.message / 16, patience: limits.stall)))
    }

    /// Changes the time that others wait for a sender that does not send.
    func setPatience(_ patience: Duration) { state.withLock { $0.queue.patience = patience } }

    /// The number of connections that hold memory, and of those that wait for it.
    var counts: (held: Int, queued: Int) { state.withLock { ($0.queue.held, $0.queue.queued) } }

    /// Waits for memory for a large message, which the caller gives back with ``release(_:)``.
    ///
    /// - Parameter evict: Ends the connection if others have waited for its sender too long.
    /// - Returns: The ticket that identifies the holder.
    /// - Throws: `CancellationError` if the task was cancelled while it waited.
    func claim(evict: @escaping @Sendable () -> Void) async throws -> Ticket {
        let (ticket, granted) = state.withLock { state in
            state.tickets &+= 1
            state.evictions[state.tickets] = evict
            return (state.tickets, state.queue.claim(state.tickets, now: .now()))
        }
        if granted { return ticket }
        schedule()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // It may have been granted, or the task cancelled, between the two locks.
                let isSettled = state.withLock { state in
                    if state.queue.holds(ticket) || Task.isCancelled { return true }
                    state.waiters[ticket] = continuation
                    return false
                }
                if isSettled { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
            waiter?.resume()
        }
        guard !Task.isCancelled else {
            release(ticket)
            throw CancellationError()
        }
        return ticket
    }

    /// Records that a holder has sent bytes.
    func progress(_ ticket: Ticket, _ bytes: Int) { state.withLock { $0.queue.progress(ticket, bytes, now: .now()) } }

    /// Records that a holder's message is complete.
    func assembled(_ ticket: Ticket) { state.withLock { $0.queue.assembled(ticket) } }

    /// Releases the memory of a holder, which the next waiting connections get.
    func release(_ ticket: Ticket) {
        let waiters = state.withLock { state in
            state.evictions[ticket] = nil
            return state.queue.release(ticket, now: .now()).compactMap { state.waiters.removeValue(forKey: $0) }
        }
        schedule()
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Senders that hold up the others

    /// Sets the timer to the queue's deadline; cancels it if there is none.
    private func schedule() {
        state.withLock { state in
            let deadline = state.queue.deadline
            // A timer that is too early finds no sender to evict, and is set again then; so a steady sender does not
            // move it at every read.
            if let deadline, let timer = state.timer, timer.at <= deadline { return }
            state.timer?.task.cancel()
            state.timer = deadline.map { at in
                let task = loop.task(name: "varlink budget") { [self] in
                    do { try await loop.sleep(until: at) } catch { return }
                    look()
                }
                return (at, task)
            }
        }
    }

    private func look() {
        let evictions = state.withLock { state in
            state.timer = nil
            return state.queue.expired(now: .now()).compactMap { state.evictions[$0] }
        }
        for evict in evictions { evict() }
        schedule()
    }
}
