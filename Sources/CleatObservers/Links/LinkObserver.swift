package import CleatAPI
package import CleatIO
internal import SystemPackage

/// Follows the links of the network namespace, their addresses and default routes, and publishes their changes on the bus.
///
/// The actions are those of ``LinkAction``. The observer needs no privilege. rtnetlink(7)
package actor LinkObserver: EventObserver {
    /// The counters of the observer.
    package struct MessageCounters: Sendable, Equatable {
        /// Messages that were parsed and handled.
        package var received = 0
        /// Datagrams whose sender is not the kernel; dropped.
        package var forged = 0
        /// Datagrams that could not be parsed to their end.
        package var malformed = 0
        /// Datagrams that were longer than the buffer.
        package var truncated = 0
        /// The number of times that the kernel reported dropped messages.
        package var overruns = 0
        /// The number of times that all links were dumped again because messages had been lost.
        package var resyncs = 0
        /// The number of times that the kernel refused a dump.
        package var refusals = 0
    }

    private static let batch = 64
    private static let capacity = 64 * 1024
    // RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR, RTMGRP_IPV6_ROUTE.
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    private static let getLink: UInt16 = 18
    private static let getAddress: UInt16 = 22
    private static let getRoute: UInt16 = 26

    private let loop: EventLoop
    private let bus: EventBus
    private let socket: NetlinkSocket
    private var tracker = LinkTracker()
    private var gate = ReadyGate()

    package nonisolated var source: EventSource { .link }
    package nonisolated var name: String { "links" }

    /// The counters of the kernel's messages.
    package private(set) var messageCounters = MessageCounters()

    package var counters: [Counter] {
        [Counter](named: [
            "links.received": messageCounters.received, "links.forged": messageCounters.forged,
            "links.malformed": messageCounters.malformed, "links.overruns": messageCounters.overruns,
            "links.resyncs": messageCounters.resyncs,
        ])
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Subscribes to the kernel's messages; nothing is published before ``run()``.
    package init(
        loop: EventLoop, bus: EventBus, receiveBuffer: Int = NetlinkSocket.standardBuffer
    ) throws(ObserverError) {
        self.loop = loop
        self.bus = bus
        do throws(Errno) {
            socket = try NetlinkSocket(
                .route, groups: Self.groups, receiveBuffer: receiveBuffer, capacity: Self.capacity, loop: loop)
        } catch {
            throw ObserverError(
                .open, subject: "rtnetlink", underlying: error,
                remedy: "check that AF_NETLINK sockets are allowed (RestrictAddressFamilies of the unit)")
        }
    }

    /// Dumps all links, addresses and routes, then follows them until the task is cancelled.
    package func run() async throws {
        defer { gate.end() }
        await perform(tracker.begin())
        while true {
            var drained = false
            var taken = 0
            while !drained, taken < Self.batch {
                taken += 1
                switch try reception() {
                case .nothing: drained = true
                case .overrun:
                    messageCounters.overruns += 1
                    await lost()
                case .message(_, let sender) where sender.port != 0 || sender.process != 0:
                    messageCounters.forged += 1
                case .message(_, let sender) where sender.truncated:
                    messageCounters.truncated += 1
                    await lost()
                case .message(let bytes, _): await handle(bytes)
                }
            }
            if drained { try await socket.readable() } else { await loop.yield() }
            try Task.checkCancellation()
        }
    }

    private func reception() throws(ObserverError) -> NetlinkSocket.Reception {
        do throws(Errno) {
            return try socket.receive()
        } catch {
            throw ObserverError(
                .receive, subject: "rtnetlink", underlying: error, remedy: "the service must be started again")
        }
    }

    private func handle(_ datagram: [UInt8]) async {
        let (messages, malformed) = RouteMessage.parse(datagram)
        if malformed { messageCounters.malformed += 1 }
        for message in messages {
            messageCounters.received += 1
            let (changes, resync, request) = tracker.handle(message)
            for change in changes {
                var properties = change.properties
                if resync { properties.append("CLEAT_RESYNC", "1") }
                bus.publish(
                    EventDraft(
                        source: .link, action: change.action.rawValue, subject: change.link.name,
                        properties: properties))
            }
            await perform(request)
        }
    }

    private func lost() async {
        let request = tracker.overrun()
        if request != .none { messageCounters.resyncs += 1 }
        await perform(request)
    }

    private func perform(_ request: LinkTracker.Request) async {
        do throws(Errno) {
            switch request {
            case .none: return
            case .dumpLinks(let sequence): try socket.requestDump(type: Self.getLink, sequence: sequence)
            case .dumpAddresses(let sequence): try socket.requestDump(type: Self.getAddress, sequence: sequence)
            case .dumpRoutes(let sequence):
                // A route that changes all the time does not delay the first state.
                if tracker.announces { gate.becomeReady() }
                try socket.requestDump(type: Self.getRoute, sequence: sequence)
            case .retryLater: retryLater()
            case .complete: gate.becomeReady()
            }
        } catch {
            tracker.giveUp()
            retryLater()
        }
    }

    private func retryLater() {
        messageCounters.refusals += 1
        loop.task { [weak self, loop] in
            try? await loop.sleep(for: .seconds(1))
            await self?.retry()
        }
    }

    private func retry() async {
        guard !gate.hasEnded else { return }
        await perform(tracker.begin())
    }

    /// True if the first dump of all links, addresses and routes is complete.
    package var isReady: Bool { gate.isReady }

    package func waitUntilReady() async {
        await withCheckedContinuation { gate.add($0) }
    }

    // MARK: The present

    /// The known links and their addresses.
    package var table: LinkTable { tracker.table }

    /// Returns the links sorted by name, with their addresses.
    package func links() -> [Link] {
        let addresses = tracker.table.addressesByLink
        return tracker.table.sorted.map { record in
            Link(
                index: Int(record.index), name: record.name, kind: record.kind, type: record.typeName,
                address: record.address, state: record.state.name, carrier: record.carrier,
                up: record.flags.contains(.up), mtu: Int(record.mtu),
                addresses: addresses[record.index, default: []].map(\.text),
                duplicates: addresses[record.index, default: []].filter(\.isDuplicate).map(\.text),
                routes: tracker.table.routes(of: record.index).map {
                    LinkRoute(family: $0.isIPv6 ? .ipv6 : .ipv4, gateway: $0.gatewayText, metric: Int64($0.metric))
                })
        }
    }

    package func inventory(after: String?, limit: Int) async -> InventoryPage {
        await waitUntilReady()
        return InventoryPage(items: tracker.table.sorted.map { ($0.name, $0.properties) })
    }

    // MARK: The state that is saved

    package func savedState() -> [UInt8]? { tracker.table.encoded() }

    package func publishChanges(since saved: [UInt8]) throws {
        for change in try LinkTable(decoding: saved).changes(to: tracker.table) {
            bus.publish(
                EventDraft(
                    source: .link, action: change.action.rawValue, subject: change.link.name,
                    properties: change.properties, restored: true))
        }
    }
}
