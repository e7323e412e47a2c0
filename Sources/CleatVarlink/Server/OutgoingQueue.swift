/// The bytes that wait for a client, with a limit: a state machine; its user does the writing and the waking.
///
/// One writer at a time takes bytes off; it starts when ``enqueue(_:ticket:)`` returns `write`, and continues until
/// ``wrote(_:)`` returns `done`.
struct OutgoingQueue: Sendable {
    typealias Ticket = UInt64

    /// The next step of the caller that has passed a message.
    enum Enqueued: Equatable {
        /// Become the writer, and start with these bytes.
        case write([UInt8])
        /// Nothing: the writer will write the message.
        case queued
        /// Wait until ``wrote(_:)`` or ``close()`` returns the ticket.
        case wait
        /// The queue is closed.
        case closed
    }

    /// The next step of the writer.
    enum Written: Equatable {
        /// Continue with the bytes that it has.
        case goOn
        /// Continue with these bytes.
        case write([UInt8])
        /// Stop being the writer.
        case done
    }

    private let limit: Int
    /// The number of bytes that the writer has and has not written yet.
    private var inHand = 0
    private var pending: [UInt8] = []
    private var waiting: [(ticket: Ticket, bytes: [UInt8])] = []
    private var writing = false
    private(set) var isClosed = false

    init(limit: Int) { self.limit = limit }

    /// The number of bytes in the queue, without those of waiting senders.
    var queued: Int { inHand + pending.count }

    /// True if everything that was enqueued has been written.
    var isEmpty: Bool { queued == 0 && waiting.isEmpty }

    /// Enqueues a message.
    ///
    /// An empty message waits until everything before it has been written.
    mutating func enqueue(_ bytes: [UInt8], ticket: Ticket) -> Enqueued {
        if isClosed { return .closed }
        guard waiting.isEmpty, hasSpace(for: bytes) else {
            waiting.append((ticket, bytes))
            return .wait
        }
        if bytes.isEmpty { return .queued }
        if writing {
            pending.append(contentsOf: bytes)
            return .queued
        }
        writing = true
        inHand = bytes.count
        return .write(bytes)
    }

    /// Returns true if a message fits; an empty queue takes a message of any length.
    private func hasSpace(for bytes: [UInt8]) -> Bool {
        queued == 0 || (!bytes.isEmpty && queued + bytes.count <= limit)
    }

    /// Records the number of bytes that the writer has written; returns its next step and the senders to wake.
    mutating func wrote(_ count: Int) -> (next: Written, woken: [Ticket]) {
        guard !isClosed else { return (.done, []) }
        inHand = max(0, inHand - count)
        var woken: [Ticket] = []
        while let first = waiting.first, hasSpace(for: first.bytes) {
            waiting.removeFirst()
            pending.append(contentsOf: first.bytes)
            woken.append(first.ticket)
        }
        if inHand > 0 { return (.goOn, woken) }
        guard !pending.isEmpty else {
            writing = false
            return (.done, woken)
        }
        let next = pending
        pending = []
        inHand = next.count
        return (.write(next), woken)
    }

    /// Returns true if a ticket's message still waits for space in the queue.
    func isWaiting(_ ticket: Ticket) -> Bool { waiting.contains { $0.ticket == ticket } }

    /// Removes a waiting message; false if it does not wait, as it is in the queue already.
    mutating func withdraw(_ ticket: Ticket) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Drops all messages; returns the tickets of the waiting senders.
    mutating func close() -> [Ticket] {
        isClosed = true
        inHand = 0
        pending = []
        defer { waiting = [] }
        return waiting.map(\.ticket)
    }
}
