import Synchronization

/// Passes a program's own notices to any number of observers; a slow observer delays neither the others nor the
/// publisher.
///
/// ```swift
/// let doors = Broadcaster<Door>()
/// Task { for await door in doors.notices() { show(door) } }
/// doors.publish(door)
/// ```
/// It needs no service, and nothing leaves the process; ``Cleat/emit(_:subject:_:keepingFor:)`` reaches hooks and other programs.
public final class Broadcaster<Notice: Sendable>: Sendable {
    private struct State {
        var observers: [UInt64: Mailbox<Notice>] = [:]
        var lastID: UInt64 = 0
        var latest: Notice?
        var isFinished = false
    }

    private let keepsLatest: Bool
    private let state = Mutex(State())

    /// Creates a broadcaster.
    ///
    /// - Parameter keepsLatest: true to give a new observer the last notice first, as for a state.
    public init(keepsLatest: Bool = false) { self.keepsLatest = keepsLatest }

    /// The number of present observers.
    public var observerCount: Int { state.withLock { $0.observers.count } }

    /// Passes a notice to all present observers; after ``finish()`` it is dropped.
    public func publish(_ notice: Notice) {
        state.withLock { state in
            guard !state.isFinished else { return }
            if keepsLatest { state.latest = notice }
            for observer in state.observers.values { observer.put(notice) }
        }
    }

    /// Ends the sequences of all observers once they have read what waits for them.
    public func finish() {
        state.withLock { state in
            state.isFinished = true
            for observer in state.observers.values { observer.close() }
            state.observers = [:]
        }
    }

    /// Observes the notices, from the creation of an iterator to its release or the cancellation of its task.
    ///
    /// - Parameter buffer: the number of notices that wait for a slow observer, at least 1; then the oldest are dropped,
    ///   and ``Notices/Iterator/missed`` counts them.
    /// - Returns: the sequence.
    public func notices(buffer: Int = 64) -> Notices { Notices(broadcaster: self, buffer: buffer) }

    /// A sequence of notices; see ``Broadcaster/notices(buffer:)``.
    public struct Notices: AsyncSequence, Sendable {
        /// The sequence never fails.
        public typealias Failure = Never

        let broadcaster: Broadcaster
        let buffer: Int

        /// Subscribes to the notices.
        public func makeAsyncIterator() -> Iterator { Iterator(subscription: broadcaster.subscribe(buffer)) }

        /// Iterates over the notices.
        public struct Iterator: AsyncIteratorProtocol {
            let subscription: Subscription
            /// The number of notices that were dropped since the begin, because they were not read in time.
            public private(set) var missed = 0

            init(subscription: Subscription) { self.subscription = subscription }

            /// Waits for the next notice; nil once the broadcaster has finished or the task is cancelled.
            public mutating func next() async -> Notice? { await next(isolation: nil) }

            /// Waits for the next notice; nil once the broadcaster has finished or the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notice? {
                guard case .element(let notice, let dropped) = await subscription.mailbox.step() else { return nil }
                missed += dropped
                return notice
            }
        }
    }

    /// One observer, until the last reference to it is released.
    final class Subscription: Sendable {
        let mailbox: Mailbox<Notice>
        private let id: UInt64
        private let broadcaster: Broadcaster

        init(_ mailbox: Mailbox<Notice>, _ id: UInt64, _ broadcaster: Broadcaster) {
            self.mailbox = mailbox
            self.id = id
            self.broadcaster = broadcaster
        }

        deinit { broadcaster.remove(id) }
    }

    private func subscribe(_ buffer: Int) -> Subscription {
        let mailbox = Mailbox<Notice>(capacity: buffer)
        let id = state.withLock { state in
            state.lastID += 1
            if let latest = state.latest { mailbox.put(latest) }
            if state.isFinished { mailbox.close() } else { state.observers[state.lastID] = mailbox }
            return state.lastID
        }
        return Subscription(mailbox, id, self)
    }

    private func remove(_ id: UInt64) {
        // The mailbox is released after the lock.
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
    }
}
