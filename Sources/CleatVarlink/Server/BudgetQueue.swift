internal import CleatIO

/// Who may hold a large message, who waits to, and who holds up the others: a state machine.
///
/// Each holder may hold the longest message that there is, so whoever holds never has to wait for more, and nobody waits
/// for one who waits.
struct BudgetQueue: Sendable {
    typealias Ticket = UInt64

    private struct Holder {
        /// When it last had sent its share.
        var mark: BootTime
        /// How much it has sent since.
        var bytes = 0
        /// Whether its message is still coming; once it is whole, nothing depends on its sender.
        var isAssembling = true
    }

    /// How many may hold one.
    private let room: Int
    /// How much a sender for whom others wait has to send within the patience.
    private let share: Int
    /// How long others wait for a sender that does not send its share.
    var patience: Duration

    private var holders: [Ticket: Holder] = [:]
    private var waiting: [Ticket] = []
    /// Since when there has been somebody who waits.
    private var waitingSince: BootTime?

    init(room: Int, share: Int, patience: Duration) {
        self.room = max(1, room)
        self.share = max(1, share)
        self.patience = patience
    }

    /// How many hold one.
    var held: Int { holders.count }

    /// How many wait.
    var queued: Int { waiting.count }

    func holds(_ ticket: Ticket) -> Bool { holders[ticket] != nil }

    /// Asks for room; false where the ticket has to wait until ``release(_:now:)`` names it.
    mutating func claim(_ ticket: Ticket, now: BootTime) -> Bool {
        if waiting.isEmpty, holders.count < room {
            holders[ticket] = Holder(mark: now)
            return true
        }
        if waiting.isEmpty { waitingSince = now }
        waiting.append(ticket)
        return false
    }

    /// Notes that a holder has sent bytes.
    mutating func progress(_ ticket: Ticket, _ bytes: Int, now: BootTime) {
        guard var holder = holders[ticket] else { return }
        holder.bytes += bytes
        if holder.bytes >= share {
            holder.bytes = 0
            holder.mark = now
        }
        holders[ticket] = holder
    }

    /// Notes that a holder's message is whole.
    mutating func assembled(_ ticket: Ticket) { holders[ticket]?.isAssembling = false }

    /// Gives room back, or up waiting for it; returns who has it now.
    mutating func release(_ ticket: Ticket, now: BootTime) -> [Ticket] {
        if holders.removeValue(forKey: ticket) == nil { waiting.removeAll { $0 == ticket } }
        var granted: [Ticket] = []
        while holders.count < room, !waiting.isEmpty {
            let next = waiting.removeFirst()
            holders[next] = Holder(mark: now)
            granted.append(next)
        }
        if waiting.isEmpty { waitingSince = nil }
        return granted
    }

    /// When to look for senders that hold up the others; nil where there is nobody to look for.
    var deadline: BootTime? {
        guard let waitingSince else { return nil }
        return holders.values.filter(\.isAssembling).map { max($0.mark, waitingSince).advanced(by: patience) }.min()
    }

    /// Names the senders that have held up the others for too long, each once; they hold until they are released.
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
