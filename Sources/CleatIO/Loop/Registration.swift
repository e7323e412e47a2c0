internal import Synchronization
internal import SystemPackage

/// One descriptor in the loop's epoll set: its observed events and its waiters.
final class Registration: Sendable {
    /// The events that are watched while no task waits to write.
    ///
    /// Writing is watched only while a task waits for it: otherwise every reply that a peer reads would wake the loop.
    static let resting: PollEvents = [.readable, .peerHangUp, .edge]
    static let writing: PollEvents = [.readable, .writable, .peerHangUp, .edge]

    enum Direction { case reading, writing }

    @safe
    private struct Side {
        /// An edge was reported that no waiter has consumed yet.
        var ready = false
        var waiter: UnsafeContinuation<Void, any Error>?
        var ticket: UInt64 = 0
    }

    @safe
    private struct State {
        var reading = Side()
        var writing = Side()
        var tickets: UInt64 = 0
        var seen: PollEvents = []
        var watchesWriting = false
        var alwaysReady = false
        var closed = false

        subscript(direction: Direction) -> Side {
            get { direction == .reading ? reading : writing }
            set { if direction == .reading { reading = newValue } else { writing = newValue } }
        }
    }

    let fd: Int32
    /// The key by which epoll reports the descriptor.
    let key: UInt64
    private let loop: EventLoop
    private let handler: (@Sendable (PollEvents) -> Void)?
    private let state = Mutex(State())

    init(loop: EventLoop, fd: Int32, key: UInt64, handler: (@Sendable (PollEvents) -> Void)?) {
        self.loop = loop
        self.fd = fd
        self.key = key
        self.handler = handler
    }

    var seen: PollEvents { state.withLock { $0.seen } }

    func becomeAlwaysReady() { state.withLock { $0.alwaysReady = true } }

    // MARK: On the loop's thread

    func deliver(_ events: PollEvents) {
        if let handler {
            handler(events)
            return
        }
        let failed = !events.isDisjoint(with: [.error, .hangUp])
        let (reader, writer, rest) = unsafe state.withLock { state in
            state.seen.formUnion(events.intersection([.error, .hangUp, .peerHangUp]))
            var reader: UnsafeContinuation<Void, any Error>?
            var writer: UnsafeContinuation<Void, any Error>?
            if failed || !events.isDisjoint(with: [.readable, .peerHangUp]) {
                unsafe reader = unsafe state.reading.waiter
                unsafe state.reading.waiter = nil
                // The edge belongs to the waiter that it wakes; without a waiter it is kept for the next one.
                state.reading.ready = unsafe reader == nil
            }
            var rest = false
            if failed || events.contains(.writable) {
                unsafe writer = unsafe state.writing.waiter
                unsafe state.writing.waiter = nil
                rest = unsafe writer == nil && state.watchesWriting
                if rest { state.watchesWriting = false }
            }
            return unsafe (reader, writer, rest)
        }
        if rest { try? loop.modify(self, Self.resting) }
        unsafe reader?.resume()
        unsafe writer?.resume()
    }

    // MARK: Anywhere

    func wait(_ direction: Direction) async throws {
        try Task.checkCancellation()
        let (closed, alwaysReady, ready) = state.withLock { state in
            let ready = state[direction].ready
            state[direction].ready = false
            return (state.closed, state.alwaysReady, ready)
        }
        if closed { throw CancellationError() }
        if alwaysReady {
            await loop.yield()
            return
        }
        if ready { return }
        let ticket = state.withLock { state in
            state.tickets &+= 1
            return state.tickets
        }
        try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { continuation in
                unsafe begin(continuation, direction, ticket)
            }
        } onCancel: {
            unsafe takeWaiter(direction, ticket)?.resume(throwing: CancellationError())
        }
    }

    private func begin(_ continuation: UnsafeContinuation<Void, any Error>, _ direction: Direction, _ ticket: UInt64) {
        enum Outcome {
            case waits, ready
            case fails(any Error)
        }
        let outcome = state.withLock { state -> Outcome in
            if state.closed { return .fails(CancellationError()) }
            guard unsafe state[direction].waiter == nil else { return .fails(Errno.resourceBusy) }
            if state[direction].ready {
                state[direction].ready = false
                return .ready
            }
            unsafe state[direction].waiter = unsafe continuation
            state[direction].ticket = ticket
            if direction == .writing { state.watchesWriting = true }
            return .waits
        }
        switch outcome {
        case .ready: unsafe continuation.resume()
        case .fails(let error): unsafe continuation.resume(throwing: error)
        case .waits:
            // Modifying makes epoll check the descriptor again, so a buffer that is already free is reported as well.
            if direction == .writing {
                do throws(Errno) { try loop.modify(self, Self.writing) } catch {
                    unsafe takeWaiter(direction, ticket)?.resume(throwing: error)
                }
            }
            // A cancellation that came before the waiter was in place had nothing to resume.
            if Task.isCancelled {
                unsafe takeWaiter(direction, ticket)?.resume(throwing: CancellationError())
            }
        }
    }

    private func takeWaiter(_ direction: Direction, _ ticket: UInt64) -> UnsafeContinuation<Void, any Error>? {
        unsafe state.withLock { state in
            guard state[direction].ticket == ticket else { return nil }
            let waiter = unsafe state[direction].waiter
            unsafe state[direction].waiter = nil
            return unsafe waiter
        }
    }

    /// Ends the registration; its waiters get a `CancellationError`.
    func close() {
        let (open, reader, writer) = unsafe state.withLock { state in
            let open = !state.closed
            state.closed = true
            let waiters = unsafe (state.reading.waiter, state.writing.waiter)
            unsafe state.reading.waiter = nil
            unsafe state.writing.waiter = nil
            return unsafe (open, waiters.0, waiters.1)
        }
        if open { loop.remove(self) }
        unsafe reader?.resume(throwing: CancellationError())
        unsafe writer?.resume(throwing: CancellationError())
    }
}
