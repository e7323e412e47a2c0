import CleatAPI
import Synchronization

/// An item that a subscriber receives: an event, or the number of events that it lost.
package enum EventDelivery: Sendable {
    /// An event.
    case event(EventRecord)
    /// The number of events before the next one that were dropped because the subscriber's buffer was full, or that are
    /// no longer kept for replay.
    case lost(Int)
}

/// The bounded buffer between the bus and one subscriber; it keeps the newest events and counts those it drops.
final class EventMailbox: Sendable {
    private struct State {
        var missed: Int
        var replay: ArraySlice<EventRecord>
        var lost = 0
        var buffer = RecordQueue()
        var finished = false
        var waiter: CheckedContinuation<Item?, Never>?

        mutating func take() -> Item? {
            if missed > 0 {
                defer { missed = 0 }
                return .lost(missed)
            }
            if let record = replay.popFirst() {
                if replay.isEmpty { replay = [] }
                return .record(record)
            }
            if lost > 0 {
                defer { lost = 0 }
                return .lost(lost)
            }
            return buffer.removeFirst().map(Item.record)
        }
    }

    /// An item of the buffer: an event, or the number of lost events.
    enum Item: Sendable {
        case record(EventRecord)
        case lost(Int)
    }

    /// The average size in bytes of the events that a buffer can hold.
    ///
    /// If events are larger, the buffer holds fewer, so that a subscriber that does not read costs no more memory than
    /// its number of events suggests.
    static let eventBytes = 2_048

    let filter: EventFilter
    private let limit: Int
    private let coalesces: Bool
    private let state: Mutex<State>

    init(filter: EventFilter, limit: Int, coalesces: Bool = false, missed: Int, replay: ArraySlice<EventRecord>) {
        self.coalesces = coalesces
        self.filter = filter
        self.limit = max(1, limit)
        state = Mutex(State(missed: missed, replay: replay))
    }

    /// Adds an event to the buffer, or hands it to the waiting reader.
    ///
    /// Returns the reader's continuation, which the caller must resume with the event, or else the number of older
    /// events that were dropped.
    func put(_ record: EventRecord) -> (waiter: CheckedContinuation<Item?, Never>?, dropped: Int) {
        state.withLock { state in
            if state.finished { return (nil, 0) }
            if let waiter = state.waiter.take() { return (waiter, 0) }
            var dropped = 0
            state.buffer.append(record)
            let bytes = limit.multipliedReportingOverflow(by: Self.eventBytes)
            while state.buffer.count > limit || (!bytes.overflow && state.buffer.bytes > bytes.partialValue),
                state.buffer.count > 1
            {
                _ = state.buffer.removeFirst()
                dropped += 1
            }
            if coalesces { dropped = 0 }
            state.lost += dropped
            return (nil, dropped)
        }
    }

    /// Takes the oldest item without waiting; nil if there is none.
    func takeNow() -> Item? {
        state.withLock { $0.take() }
    }

    /// Takes the oldest item and waits for one if there is none.
    ///
    /// Returns nil if the mailbox is closed and empty, the task is cancelled, or another reader waits already.
    func take() async -> Item? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (item, resume): (Item?, Bool) = state.withLock { state in
                    if let item = state.take() { return (item, true) }
                    if state.finished || Task.isCancelled || state.waiter != nil { return (nil, true) }
                    state.waiter = continuation
                    return (nil, false)
                }
                if resume { continuation.resume(returning: item) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(returning: nil)
        }
    }

    /// Closes the mailbox: buffered items can still be taken, and no further ones are accepted.
    func finish() {
        let waiter = state.withLock { state in
            state.finished = true
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

    /// The number of events in the buffer, replayed ones included.
    var backlog: Int {
        state.withLock { $0.buffer.count + $0.replay.count }
    }
}

/// A first-in, first-out queue of records that frees its memory when it becomes empty.
struct RecordQueue {
    private var records: [EventRecord?] = []
    private var head = 0
    private(set) var bytes = 0

    var count: Int { records.count - head }
    var first: EventRecord? { head < records.count ? records[head] : nil }

    mutating func append(_ record: EventRecord) {
        records.append(record)
        bytes += record.size
    }

    mutating func removeFirst() -> EventRecord? {
        guard head < records.count else { return nil }
        let record = records[head]
        records[head] = nil
        head += 1
        bytes -= record?.size ?? 0
        if head == records.count {
            records = []
            head = 0
        } else if head >= 64, head * 2 >= records.count {
            records.removeFirst(head)
            head = 0
        }
        return record
    }

    /// The records in the queue, oldest first.
    var all: [EventRecord] { records[head...].compactMap(\.self) }
}
