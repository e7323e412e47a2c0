import CleatAPI

/// A network link of the board in its present state; see ``Cleat/links``.
public struct NetworkLink: Hashable, Sendable {
    /// The kernel's interface index.
    public let index: Int
    /// The interface name.
    public let name: String
    /// The kind of a virtual link: `veth`, `bridge`, `vlan`, …; nil for a physical one.
    public let kind: String?
    /// The hardware type: `ether`, `loopback`, ….
    public let type: String
    /// The hardware address, in colon form; nil if it has none.
    public let address: String?
    /// The operational state: `up`, `down`, `dormant`, `unknown`, …; RFC 2863.
    public let state: String
    /// True if there is a carrier.
    public let hasCarrier: Bool
    /// True if it is administratively up.
    public let isUp: Bool
    /// The MTU in bytes.
    public let mtu: Int
    /// The addresses with their prefix lengths: `192.0.2.7/24`.
    public let addresses: [String]
    /// The addresses that another host uses, as duplicate address detection has found; a part of ``addresses``.
    public let duplicates: [String]
    /// The default routes that leave by the link, IPv4 first, then in the order of their metrics.
    public let defaultRoutes: [DefaultRoute]

    /// A default route: the way to every address that no other route has.
    public struct DefaultRoute: Hashable, Sendable {
        /// True for IPv6.
        public let isIPv6: Bool
        /// The gateway's address; nil if addresses are reached without one.
        public let gateway: String?
        /// The metric; the route with the lowest one is used.
        public let metric: Int64

        init(_ route: LinkRoute) {
            isIPv6 = route.family == .ipv6
            gateway = route.gateway
            metric = route.metric
        }
    }

    init(_ link: Link) {
        index = link.index
        name = link.name
        kind = link.kind
        type = link.type
        address = link.address
        state = link.state
        hasCarrier = link.carrier
        isUp = link.up
        mtu = link.mtu
        addresses = link.addresses
        duplicates = link.duplicates ?? []
        defaultRoutes = (link.routes ?? []).map(DefaultRoute.init)
    }
}

/// A device of the kernel in its present state; see ``Cleat/devices(in:)``.
public struct BoardDevice: Hashable, Sendable {
    /// The path below `/sys`: `/devices/…`.
    public let devpath: String
    /// The subsystem: `block`, `net`, `usb`, ….
    public let subsystem: String
    /// The type within the subsystem, such as `disk` or `partition`; nil if it has none.
    public let type: String?
    /// The kernel's name: `sda`, `eth0`.
    public let name: String
    /// The device node, such as `/dev/sda`; nil if it has none.
    public let node: String?
    /// The driver that is bound to it; nil if none is.
    public let driver: String?
    /// The properties of its last uevent.
    public let properties: [String: String]

    init(_ device: Device) {
        devpath = device.devpath
        subsystem = device.subsystem
        type = device.devtype
        name = device.name
        node = device.node
        driver = device.driver
        properties = device.properties
    }
}

/// A sequence of a part of the board's state: the present one, and then each new one.
///
/// A slow reader gets only the newest state. After a restart of the service, the sequence continues with the present
/// state if it differs from the last one. It ends when its task is cancelled, and throws if waiting cannot help.
public struct BoardStates<State: Hashable & Sendable>: AsyncSequence, Sendable {
    /// The error that ends the sequence before its task is cancelled.
    public typealias Failure = CleatError

    let backend: any CleatBackend
    let query: EventQuery
    let read: StateReader<State>

    /// Subscribes to the changes.
    public func makeAsyncIterator() -> Iterator {
        let observer = ChangeObserver()
        let subscription = backend.follow(query, EventSink(take: { _ in observer.note() }, fail: observer.fail))
        return Iterator(observer: observer, subscription: subscription, reader: read)
    }

    /// Iterates over the states.
    public struct Iterator: AsyncIteratorProtocol {
        let observer: ChangeObserver
        let subscription: EventFollowing
        let reader: StateReader<State>
        private var last: State?

        init(observer: ChangeObserver, subscription: EventFollowing, reader: StateReader<State>) {
            self.observer = observer
            self.subscription = subscription
            self.reader = reader
        }

        /// Waits for the next state; nil once the task is cancelled.
        public mutating func next() async throws(CleatError) -> State? {
            try await next(isolation: nil)
        }

        /// Waits for the next state; nil once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CleatError) -> State? {
            let (observer, reader, former) = (observer, reader, last)
            let state = try await observer.nextValue(isOld: { $0 == former }, again: observer.note) {
                () throws(CleatError) in try await reader.read()
            }
            if let state { last = state }
            return state
        }
    }
}

/// Reads a part of the board's state.
struct StateReader<State: Sendable>: Sendable {
    let read: @Sendable () async throws(CleatError) -> State
}
