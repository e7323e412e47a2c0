/// Follows the links through dumps and messages: the state machine behind ``LinkObserver``.
///
/// Dump and messages come over one socket in the order in which things happened, so each is applied as it comes; at the
/// end of a whole, uninterrupted dump, what it did not hold has gone. A dump that met a change, or during which messages
/// were lost, is made again.
package struct LinkTracker: Sendable {
    /// What is to be done after a step.
    package enum Request: Sendable, Hashable {
        /// Nothing.
        case none
        /// Ask for all links, with this number.
        case dumpLinks(sequence: UInt32)
        /// Ask for all addresses, with this number.
        case dumpAddresses(sequence: UInt32)
        /// The kernel refused: begin again after a while.
        case retryLater(errno: Int32)
        /// The state is whole again.
        case settled
    }

    private enum Phase: Sendable {
        case idle
        case links(sequence: UInt32)
        case addresses(sequence: UInt32)
        case live
    }

    /// The links as they are known.
    package private(set) var table = LinkTable()
    private var phase = Phase.idle
    private var again = false
    /// Whether what is found is told: not before the first state is whole.
    private var announces = false
    private var sequence: UInt32 = 0
    private var seenLinks: Set<Int32> = []
    private var seenAddresses: Set<AddressRecord.Key> = []

    /// Makes a tracker that knows of no link yet.
    package init() {}

    /// Whether the state is whole.
    package var isSettled: Bool {
        if case .live = phase { return true }
        return false
    }

    /// Begins to look at everything.
    package mutating func begin() -> Request {
        again = false
        sequence &+= 1
        phase = .links(sequence: sequence)
        seenLinks = []
        seenAddresses = []
        return .dumpLinks(sequence: sequence)
    }

    /// Takes word that messages were lost.
    package mutating func overrun() -> Request {
        switch phase {
        case .idle: return .none
        case .links, .addresses:
            // The kernel never drops the answers to a dump, so its end will come; then it is made again.
            again = true
            return .none
        case .live: return begin()
        }
    }

    /// Takes word that a dump could not be asked for; ``begin()`` starts anew.
    package mutating func giveUp() {
        phase = .idle
    }

    /// Takes a message; returns what has happened, and what is to be done.
    package mutating func handle(_ message: RouteMessage) -> (changes: [LinkChange], resync: Bool, request: Request) {
        let answers = isAnswer(message)
        if answers, message.interrupted { again = true }
        var changes: [LinkChange] = []
        var request = Request.none
        switch message.body {
        case .link(let link):
            changes = table.update(link)
            if case .links = phase { seenLinks.insert(link.index) }
        case .linkRemoved(let index, _):
            changes = table.remove(index: index)
            if case .links = phase { seenLinks.remove(index) }
        case .address(let address):
            changes = table.update(address)
            if case .addresses = phase { seenAddresses.insert(address.key) }
        case .addressRemoved(let address):
            changes = table.remove(address)
            if case .addresses = phase { seenAddresses.remove(address.key) }
        case .done where answers, .failure where answers:
            (changes, request) = endOfDump(message)
        case .overrun: request = overrun()
        case .done, .failure, .other: break
        }
        defer { if request == .settled { announces = true } }
        return (announces ? changes : [], answers, request)
    }

    private func isAnswer(_ message: RouteMessage) -> Bool {
        switch phase {
        case .links(let sequence), .addresses(let sequence):
            if case .failure = message.body { return message.sequence == sequence }
            return message.multipart && message.sequence == sequence
        case .idle, .live: return false
        }
    }

    private mutating func endOfDump(_ message: RouteMessage) -> ([LinkChange], Request) {
        if case .failure(let errno) = message.body, errno != 0 {
            // What is known stays until a later dump says better.
            phase = .idle
            return ([], .retryLater(errno: errno))
        }
        if again { return ([], begin()) }
        switch phase {
        case .links:
            let gone = table.links.keys.filter { !seenLinks.contains($0) }.sorted()
            let changes = gone.flatMap { table.remove(index: $0) }
            sequence &+= 1
            phase = .addresses(sequence: sequence)
            seenLinks = []
            return (changes, .dumpAddresses(sequence: sequence))
        case .addresses:
            let gone = table.addresses.filter { !seenAddresses.contains($0.key) }.values
            let changes = gone.flatMap { table.remove($0) }
            phase = .live
            seenAddresses = []
            return (changes, .settled)
        case .idle, .live: return ([], .none)
        }
    }
}
