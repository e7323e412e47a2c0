/// A sequence of the board's events; see ``Cleat/events(from:action:subject:)``.
public struct BoardEvents: AsyncSequence, Sendable {
    /// The error that ends the sequence before its task is cancelled.
    public typealias Failure = CleatError

    /// The number of events that wait for a slow reader; older ones are dropped and counted.
    public static let buffer = 256

    let mailbox: Mailbox<BoardEvent>
    let subscription: EventFollowing

    /// Makes an iterator; several of them share the events.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox, subscription: subscription) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        let mailbox: Mailbox<BoardEvent>
        let subscription: EventFollowing

        /// Waits for the next event; nil once the task is cancelled.
        public mutating func next() async throws(CleatError) -> BoardEvent? {
            try await next(isolation: nil)
        }

        /// Waits for the next event; nil once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CleatError) -> BoardEvent? {
            guard let (found, dropped) = try await mailbox.next() else { return nil }
            var event = found
            event.missed += dropped
            return event
        }
    }
}
