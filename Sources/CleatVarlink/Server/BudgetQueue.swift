internal import CleatIO

/// The state machine of the memory for large messages: its holders, the waiting connections, and the holders that delay
/// them.
///
/// Each holder may hold a message of the maximum length. So a holder never has to wait for more memory, and no
/// connection waits for one that waits itself.
struct BudgetQueue: Sendable {
    typealias Ticket = UInt64

    private struct Holder {
        /// The time at which it had last sent its share.
        var mark: BootTime
        /// The bytes that it has sent since.
        var bytes = 0
        /// True while its message is incomplete; a complete one does not depend on its sender.
        var isAssembling = true
    }

    /// The maximum number of holders.
    private let capacity: Int
    /// The bytes that a sender for which others wait has to send within `patience`.
    private let share: Int
    /// The time that others wait for a sender that does not send its share.
    var patience: Duration

    private var holders: [Ticket: Holder] = [:]
    private var waiting: [Ticket] = []
    /// The time since which a connection has been waiting; nil if none waits.
    private var waitingSince: BootTime?

    init(capacity: Int, share: Int, patience: Duration) {
        self.capacity = max(1, capacity)
        self.share = max(1, share)
        self.patience = patience
    }

    /// The number of holders.
    var held: Int { holders.count }

    /// The number of waiting connections.
    var queued: Int { waiting.count }

    func holds(_ ticket: Ticket) -> Bool { holders[ticket] != nil }

    /// Claims memory for a large message; false if the ticket has to wait until ``release(_:now:)`` returns it.
    mutating func claim(_ ticket: Ticket, now: BootTime) -> Bool {
        if waiting.isEmpty, holders.count < capacity {
            holders[ticket] = Holder(mark: now)
            return true
        }
        if waiting.isEmpty { waitingSince = now }
        waiting.append(ticket)
        return false
    }

    /// Records that a holder has sent bytes.
    mutating func progress(_ ticket: Ticket, _ bytes: Int, now: BootTime) {
        guard var holder = holders[ticket] else { return }
        holder.bytes += bytes
        if holder.bytes >= share {
            holder.bytes = 0
            holder.mark = now
        }
        holders[ticket] = holder
    }

    /// Records that a holder's message is complete.
    mutating func assembled(_ ticket: Ticket) { holders[ticket]?.isAssembling = false }

    /// Releases the memory of a ticket, or removes it from the queue; returns the tickets that hold memory now.
    mutating func release(_ ticket: Ticket, now: BootTime) -> [Ticket] {
        if holders.removeValue(forKey: ticket) == nil { waiting.removeAll { $0 == ticket } }
        var granted: [Ticket] = []
        while holders.count < capacity, !waiting.isEmpty {
            let next = waiting.removeFirst()
            holders[next] = Holder(mark: now)
            granted.append(next)
        }
        if waiting.isEmpty { waitingSince = nil }
        return granted
    }

    /// The time at which to check for senders that delay the others; nil if there are none to check.
    var deadline: BootTime? {
        guard let waitingSince else { return nil }
        return holders.values.filter(\.isAssembling).map { max($0.mark, waitingSince).advanced(by: patience) }.min()
    }

    /// Returns the senders that have delayed the others for too long, each once; they hold memory until they are
    /// released.
    mutating func expired(now: BootTime) -> [Ticket] {
        guard let waitingSince else { return [] }
        var expired: [Ticket] = []
        for (ticket, holder) in holders
        where holder.isAssembling && max(holder.mark, waitingSince).advanced(by: patience) <= now {
            holders[ticket]?.isAssembling = false
            expired.append(ticket)
        }
        return expired
    }
}
