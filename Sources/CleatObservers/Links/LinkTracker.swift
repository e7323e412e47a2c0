import CleatOrder

/// Tracks the links through dumps and messages: the state machine behind ``LinkObserver``.
///
/// Dumps and messages arrive over one socket in the order of the changes, so each message is applied when it arrives.
/// At the end of a complete, uninterrupted dump, the entries that it did not contain are removed. A dump that was
/// interrupted by a change, or during which messages were lost, is repeated.
package struct LinkTracker: Sendable {
    /// The action that the caller must take after a step.
    package enum Request: Sendable, Equatable {
        /// No action.
        case none
        /// Request a dump of all links with this sequence number.
        case dumpLinks(sequence: UInt32)
        /// Request a dump of all addresses with this sequence number.
        case dumpAddresses(sequence: UInt32)
        /// The kernel refused the dump: call ``begin()`` again after a while.
        case retryLater(errno: Int32)
        /// Request a dump of all routes with this sequence number.
        case dumpRoutes(sequence: UInt32)
        /// The table is complete; no action is needed.
        case complete
    }

    private enum Phase: Sendable {
        case idle
        case links(sequence: UInt32)
        case addresses(sequence: UInt32)
        /// True if only the routes are dumped again.
        case routes(sequence: UInt32, alone: Bool)
        case live
    }

    /// The known links and their addresses.
    package private(set) var table = LinkTable()
    private var phase = Phase.idle
    private var again = false
    /// True if changes are returned; false until the first state is complete.
    package private(set) var announces = false
    private var sequence: UInt32 = 0
    private var seenLinks: Set<Int32> = []
    private var seenAddresses: Set<AddressRecord.Key> = []
    private var seenRoutes: Set<DefaultRoute> = []
    /// True if default routes may have changed since the begin of the last dump of routes.
    private var routesAreStale = false

    /// Makes a tracker with an empty table.
    package init() {}

    /// True if the table is complete and no dump is in progress.
    package var isComplete: Bool {
        if case .live = phase { return true }
        return false
    }

    /// Starts a dump of all links, then of all addresses and of all routes.
    package mutating func begin() -> Request {
        again = false
        sequence &+= 1
        phase = .links(sequence: sequence)
        seenLinks = []
        seenAddresses = []
        return .dumpLinks(sequence: sequence)
    }

    /// Notes that messages were lost; returns the action to take.
    package mutating func overrun() -> Request {
        switch phase {
        case .idle: return .none
        case .links, .addresses, .routes:
            // The kernel never drops the answers to a dump, so its end will arrive; then the dump is repeated.
            again = true
            return .none
        case .live: return begin()
        }
    }

    /// Notes that a dump could not be requested; ``begin()`` starts again.
    package mutating func giveUp() {
        phase = .idle
    }

    /// Applies a message.
    ///
    /// Returns the changes, true if the message is part of a dump, and the action to take.
    package mutating func handle(_ message: RouteMessage) -> (changes: [LinkChange], resync: Bool, request: Request) {
        let answers = isAnswer(message)
        let isResync = answers && !isRefresh
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
        case .routes(let routes) where answers: seenRoutes.formUnion(routes)
        case .routes(let routes), .routesRemoved(let routes): if !routes.isEmpty { routesAreStale = true }
        case .done where answers, .failure where answers:
            (changes, request) = endOfDump(message)
        case .overrun: request = overrun()
        case .done, .failure, .other: break
        }
        if affectsRoutes(message) { routesAreStale = true }
        let announced = announces ? changes : []
        if case .live = phase {
            announces = true
            if routesAreStale { request = beginRoutes(alone: true) }
        }
        return (announced, isResync, request)
    }

    /// Returns true if the kernel may remove default routes with the subject of a message, of which it sends no message
    /// for IPv4.
    private func affectsRoutes(_ message: RouteMessage) -> Bool {
        switch message.body {
        case .link(let link): !link.flags.contains(.up) && table.routes.contains { $0.index == link.index }
        case .addressRemoved(let address): table.routes.contains { $0.index == address.index }
        default: false
        }
    }

    /// Starts a dump of all routes: messages are only the reason to read them again, since some replace others.
    private mutating func beginRoutes(alone: Bool) -> Request {
        sequence &+= 1
        phase = .routes(sequence: sequence, alone: alone)
        seenRoutes = []
        routesAreStale = false
        return .dumpRoutes(sequence: sequence)
    }

    /// True while the routes are read again although no message was lost.
    private var isRefresh: Bool {
        if case .routes(_, alone: true) = phase { return true }
        return false
    }

    private func isAnswer(_ message: RouteMessage) -> Bool {
        switch phase {
        case .links(let sequence), .addresses(let sequence), .routes(let sequence, _):
            if case .failure = message.body { return message.sequence == sequence }
            return message.multipart && message.sequence == sequence
        case .idle, .live: return false
        }
    }

    private mutating func endOfDump(_ message: RouteMessage) -> ([LinkChange], Request) {
        if case .failure(let errno) = message.body, errno != 0 {
            // The table keeps its entries until a later dump corrects them.
            phase = .idle
            return ([], .retryLater(errno: errno))
        }
        if again { return ([], begin()) }
        switch phase {
        case .links:
            let gone = table.links.keys.filter { !seenLinks.contains($0) }.ordered(by: <)
            let changes = gone.flatMap { table.remove(index: $0) }
            sequence &+= 1
            phase = .addresses(sequence: sequence)
            seenLinks = []
            return (changes, .dumpAddresses(sequence: sequence))
        case .addresses:
            let gone = table.addresses.filter { !seenAddresses.contains($0.key) }.values
            let changes = gone.flatMap { table.remove($0) }
            seenAddresses = []
            return (changes, beginRoutes(alone: false))
        case .routes:
            phase = .live
            return (table.replace(routes: seenRoutes.filter { table.links[$0.index] != nil }), .complete)
        case .idle, .live: return ([], .none)
        }
    }
}
