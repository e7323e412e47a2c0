package import CleatAPI
import CleatIO
import Synchronization

/// The bus that numbers and timestamps events, keeps the last ones for replay and hands them to subscribers.
///
/// Publishing never waits: a subscriber that does not keep up loses its oldest events and receives their number.
package final class EventBus: Sendable {
    /// The largest number of events kept for replay.
    package static let replayLimit = 1_024
    /// The largest size in bytes of the events kept for replay.
    package static let replayBytes = 1 << 20
    /// The default size of a subscriber's buffer, in events.
    package static let standardBuffer = 1_024

    private struct State {
        var last: Int64 = 0
        var ring = RecordQueue()
        var mailboxes: [(id: Int, mailbox: EventMailbox)] = []
        var nextID = 0
        var lost = 0
        var closed = false
    }

    /// The id of this run of the service: 128 random bits as 32 hexadecimal digits.
    package let instance: String
    /// The id of this boot of the machine.
    package let bootID: String
    private let stamp: @Sendable () -> EventStamp
    private let state = Mutex(State())

    /// Makes a bus.
    ///
    /// - Parameters:
    ///   - instance: The id of this run; nil generates one.
    ///   - bootID: The id of this boot.
    ///   - stamp: A closure that reads the clocks.
    package init(
        instance: String? = nil, bootID: String, stamp: @escaping @Sendable () -> EventStamp = EventStamp.now
    ) {
        self.instance = instance ?? RandomID.make()
        self.bootID = bootID
        self.stamp = stamp
    }

    /// The present instant, for several events that have it in common.
    package var now: EventStamp { stamp() }

    /// Numbers an event and hands it to every subscriber whose filter matches.
    ///
    /// - Parameters:
    ///   - draft: The event.
    ///   - instant: The instant of the event; nil for the present one.
    /// - Returns: The event's number, or 0 if the bus is closed.
    @discardableResult
    package func publish(_ draft: EventDraft, at instant: EventStamp? = nil) -> Int64 {
        publishRecord(draft, at: instant)?.sequence ?? 0
    }

    /// Numbers an event and hands it to every subscriber whose filter matches.
    ///
    /// - Returns: The numbered event; nil if the bus is closed.
    func publishRecord(_ draft: EventDraft, at instant: EventStamp? = nil) -> EventRecord? {
        let stamp = instant ?? stamp()
        let (record, waiters) = state.withLock { state in
            var waiters: [CheckedContinuation<EventMailbox.Item?, Never>] = []
            guard !state.closed else { return (nil as EventRecord?, waiters) }
            state.last += 1
            let record = EventRecord(sequence: state.last, draft: draft, stamp: stamp)
            state.ring.append(record)
            while state.ring.count > Self.replayLimit || (state.ring.bytes > Self.replayBytes && state.ring.count > 1) {
                _ = state.ring.removeFirst()
            }
            for (_, mailbox) in state.mailboxes
            where mailbox.filter.matches(source: draft.source, action: draft.action, subject: draft.subject) {
                let (waiter, dropped) = mailbox.put(record)
                if let waiter { waiters.append(waiter) }
                state.lost += dropped
            }
            return (record, waiters)
        }
        guard let record else { return nil }
        for waiter in waiters { waiter.resume(returning: .record(record)) }
        return record
    }

    /// Subscribes to events from now on, or from a position in the past.
    ///
    /// - Parameters:
    ///   - filter: The events to receive.
    ///   - buffer: The number of events kept for a subscriber that is busy.
    ///   - coalescing: True to keep the last event alone, for a subscriber that each event means the same to; the others
    ///     are not counted as lost.
    ///   - place: The position to continue from: an instance and the last sequence number that the subscriber saw.
    ///     Events that are no longer kept are reported as lost. With another instance, or a number beyond the last
    ///     event, nothing is replayed and ``EventSubscription/resumed`` is false.
    /// - Returns: The subscription, whose buffer fills from now on.
    package func subscribe(
        matching filter: EventFilter = .all, buffer: Int = EventBus.standardBuffer,
        coalescing: Bool = false, after place: (instance: String, sequence: Int64)? = nil
    ) -> EventSubscription {
        state.withLock { state in
            var missed = 0
            var replay: [EventRecord] = []
            var resumed = false
            if let place, place.instance == instance, (0...state.last).contains(place.sequence) {
                resumed = true
                let oldest = state.ring.first?.sequence ?? state.last + 1
                missed = Int(clamping: max(0, oldest - place.sequence - 1))
                replay = state.ring.all.filter { record in
                    record.sequence > place.sequence
                        && filter.matches(
                            source: record.draft.source, action: record.draft.action, subject: record.draft.subject)
                }
            }
            let mailbox = EventMailbox(
                filter: filter, limit: coalescing ? 1 : buffer, coalesces: coalescing, missed: missed,
                replay: replay[...])
            let id = state.nextID
            state.nextID += 1
            if state.closed {
                mailbox.finish()
            } else {
                state.mailboxes.append((id, mailbox))
            }
            return EventSubscription(bus: self, id: id, mailbox: mailbox, resumed: resumed)
        }
    }

    func unsubscribe(_ id: Int) {
        state.withLock { state in state.mailboxes.removeAll { $0.id == id } }
    }

    /// Ends every subscription; buffered events can still be read.
    package func close() {
        let mailboxes = state.withLock { state in
            state.closed = true
            defer { state.mailboxes = [] }
            return state.mailboxes
        }
        for (_, mailbox) in mailboxes { mailbox.finish() }
    }

    /// The number of the last event, 0 before the first.
    package var lastSequence: Int64 { state.withLock { $0.last } }

    /// The number of events dropped because subscribers did not keep up.
    package var lost: Int { state.withLock { $0.lost } }

    /// Returns true if the filter of a subscriber names a source; one that takes events of all sources does not.
    package func isNamed(_ source: EventSource) -> Bool {
        state.withLock { $0.mailboxes.contains { $0.mailbox.filter.sources?.contains(source) ?? false } }
    }

    /// The number of subscribers.
    package var subscribers: Int { state.withLock { $0.mailboxes.count } }
}
