/// One subscriber's view of the bus: a sequence of events, oldest first, for one reader.
///
/// It ends when the task is cancelled, ``finish()`` is called or the bus closes; dropping the last reference
/// unsubscribes.
package final class EventSubscription: AsyncSequence, Sendable {
    /// The id of the service's run that the event numbers belong to.
    package let instance: String
    /// True if the subscription continues from the position that the subscriber passed.
    ///
    /// If false, the subscriber must first be sent the current state.
    package let resumed: Bool

    private let bus: EventBus
    private let id: Int
    private let mailbox: EventMailbox

    init(bus: EventBus, id: Int, mailbox: EventMailbox, resumed: Bool) {
        self.bus = bus
        self.id = id
        self.mailbox = mailbox
        self.resumed = resumed
        instance = bus.instance
    }

    deinit {
        finish()
    }

    /// Waits for the next event, or for the number of lost ones.
    package func next() async -> EventDelivery? {
        // Ready items are taken without the cost of suspending.
        if let delivery = nextNow() { return delivery }
        return await mailbox.take().map(delivery)
    }

    /// Returns the next event or the number of lost ones, if one is ready; nil otherwise.
    package func nextNow() -> EventDelivery? {
        mailbox.takeNow().map(delivery)
    }

    /// The number of events in the buffer.
    package var backlog: Int { mailbox.backlog }

    /// Ends the subscription; buffered events can still be read.
    package func finish() {
        bus.unsubscribe(id)
        mailbox.finish()
    }

    private func delivery(_ item: EventMailbox.Item) -> EventDelivery {
        switch item {
        case .record(let record): .event(record)
        case .lost(let count): .lost(count)
        }
    }

    /// The iterator of a subscription.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: EventSubscription

        /// Waits for the next event, or for the number of lost ones.
        package mutating func next() async -> EventDelivery? {
            await subscription.next()
        }
    }

    /// Makes an iterator; all iterators share one buffer.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: self)
    }
}
