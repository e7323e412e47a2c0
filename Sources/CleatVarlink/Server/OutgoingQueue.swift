/// The bytes that wait for a client, with a limit: a state machine whose effects (writing, waking) are its user's.
///
/// One writer at a time takes bytes off; it is told to begin by ``enqueue(_:ticket:)`` and goes on until ``wrote(_:)``
/// has nothing left for it.
struct OutgoingQueue: Sendable {
    typealias Ticket = UInt64

    /// What to do after a message was handed in.
    enum Enqueued: Hashable {
        /// Become the writer, and begin with these bytes.
        case write([UInt8])
        /// Nothing: the writer will come to it.
        case queued
        /// Wait until ``wrote(_:)`` or ``close()`` names the ticket.
        case wait
        /// The queue is closed.
        case closed
    }

    /// What the writer does next.
    enum Written: Hashable {
        /// Go on with the bytes it has.
        case goOn
        /// Go on with these.
        case write([UInt8])
        /// Stop being the writer.
        case done
    }

    private let limit: Int
    /// What the writer has in hand and not yet written.
    private var inHand = 0
    private var pending: [UInt8] = []
    private var waiting: [(ticket: Ticket, bytes: [UInt8])] = []
    private var writing = false
    private(set) var isClosed = false

    init(limit: Int) { self.limit = limit }

    /// How many bytes wait, those of waiting senders not counted.
    var queued: Int { inHand + pending.count }

    /// Whether everything that was handed in has been written.
    var isEmpty: Bool { queued == 0 && waiting.isEmpty }

    /// Hands in a message.
    ///
    /// No message at all waits until everything before it has been written.
    mutating func enqueue(_ bytes: [UInt8], ticket: Ticket) -> Enqueued {
        if isClosed { return .closed }
        guard waiting.isEmpty, hasRoom(for: bytes) else {
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

    /// An empty queue takes a message of any length.
    private func hasRoom(for bytes: [UInt8]) -> Bool {
        queued == 0 || (!bytes.isEmpty && queued + bytes.count <= limit)
    }

    /// Takes note of what the writer has written; tells what it does next and who may go on.
    mutating func wrote(_ count: Int) -> (next: Written, woken: [Ticket]) {
        guard !isClosed else { return (.done, []) }
        inHand = max(0, inHand - count)
        var woken: [Ticket] = []
        while let first = waiting.first, hasRoom(for: first.bytes) {
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

    /// Whether a message waits to be let in.
    func isWaiting(_ ticket: Ticket) -> Bool { waiting.contains { $0.ticket == ticket } }

    /// Takes a waiting message back; false where it is in the queue already.
    mutating func withdraw(_ ticket: Ticket) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Drops everything; returns who waits in vain.
    mutating func close() -> [Ticket] {
        isClosed = true
        inHand = 0
        pending = []
        defer { waiting = [] }
        return waiting.map(\.ticket)
    }
}
