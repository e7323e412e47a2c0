import CleatAPI

/// A sequence of the board's events; see ``Cleat/events(from:action:subject:)``.
public struct BoardEvents: AsyncSequence, Sendable {
    /// The error that ends the sequence before its task is cancelled.
    public typealias Failure = CleatError

    /// The number of events that wait for a slow reader; older ones are dropped and counted.
    public static let buffer = 256

    let backend: any CleatBackend
    let sources: [BoardEvent.Source]
    let action: String?
    let subject: String?

    private static func glob(_ text: String?) throws(CleatError) -> Glob? {
        guard let text else { return nil }
        guard let glob = Glob(text) else {
            throw CleatError(
                .refused, "“\(text)” is not a pattern of glob(7)",
                remedy: "close each [ with a ], and write \\[ for a bracket")
        }
        return glob
    }

    /// Subscribes to the events.
    public func makeAsyncIterator() -> Iterator {
        let mailbox = Mailbox<BoardEvent>(capacity: Self.buffer)
        let query: EventQuery
        do throws(CleatError) {
            query = EventQuery(
                filter: EventFilter(
                    sources: sources.isEmpty ? nil : Set(sources.compactMap { EventSource(rawValue: $0.description) }),
                    action: try Self.glob(action), subject: try Self.glob(subject)))
        } catch {
            mailbox.fail(error)
            return Iterator(mailbox: mailbox, subscription: EventSubscription {})
        }
        let subscription = backend.follow(
            query, EventSink(take: { if let event = $0 { mailbox.put(event) } }, fail: mailbox.fail))
        return Iterator(mailbox: mailbox, subscription: subscription)
    }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        let mailbox: Mailbox<BoardEvent>
        let subscription: EventSubscription

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
