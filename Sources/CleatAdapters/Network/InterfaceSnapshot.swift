internal import CleatIO
internal import CleatJSON
internal import CleatOrder
internal import CleatSettings

/// The state of an interface as far as it can be restored.
///
/// It has the link state, the MTU, the addresses, and the routes of the main table through it, without those that the
/// kernel adds itself.
package struct InterfaceSnapshot: Equatable, Sendable {
    /// The maximum number of addresses, and of routes, of one interface.
    static let limit = 4096

    /// True if the interface is switched on (`IFF_UP`).
    package var isUp: Bool
    /// The MTU in bytes.
    package var mtu: UInt32
    /// The addresses, in the kernel's order: the first IPv4 address of a network is the default source address.
    package var addresses: [KernelAddress]
    /// The routes through the interface.
    package var routes: [KernelRoute]

    /// Creates a snapshot.
    package init(isUp: Bool, mtu: UInt32, addresses: [KernelAddress] = [], routes: [KernelRoute] = []) {
        self.isUp = isUp
        self.mtu = mtu
        self.addresses = addresses
        self.routes = routes
    }

    /// The addresses as text for users.
    var addressText: String {
        addresses.isEmpty
            ? "no address" : addresses.compactMap { $0.address?.description }.joined(separator: ", ")
    }

    /// Writes the snapshot: the fixed parts in network byte order, and the attributes in the byte order of this machine,
    /// as the kernel wrote them.
    func encode(into writer: inout ByteWriter) {
        writer.number(UInt8(isUp ? 1 : 0))
        writer.number(mtu)
        writer.number(UInt16(addresses.count))
        for address in addresses {
            writer.write([address.family, address.prefix, address.scope])
            writer.number(address.flags)
            Self.encode(address.attributes, into: &writer)
        }
        writer.number(UInt16(routes.count))
        for route in routes {
            writer.write(route.head)
            Self.encode(route.attributes, into: &writer)
        }
    }

    /// Reads the format of ``encode(into:)``.
    init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(isUp: try reader.number(UInt8.self, upTo: 1) == 1, mtu: try reader.number())
        for _ in 0..<(try reader.number(UInt16.self, upTo: UInt16(Self.limit))) {
            addresses.append(
                KernelAddress(
                    family: try reader.number(), prefix: try reader.number(), scope: try reader.number(),
                    flags: try reader.number(), attributes: try Self.attributes(&reader)))
        }
        for _ in 0..<(try reader.number(UInt16.self, upTo: UInt16(Self.limit))) {
            routes.append(KernelRoute(head: Array(try reader.bytes(8)), attributes: try Self.attributes(&reader)))
        }
    }

    private static func encode(_ attributes: [RouteAttribute], into writer: inout ByteWriter) {
        writer.number(UInt16(attributes.count))
        for attribute in attributes {
            writer.number(attribute.type)
            writer.field(attribute.value)
        }
    }

    private static func attributes(_ reader: inout ByteReader) throws(MalformedBytes) -> [RouteAttribute] {
        var attributes: [RouteAttribute] = []
        for _ in 0..<(try reader.number(UInt16.self)) {
            attributes.append(RouteAttribute(try reader.number(), Array(try reader.field(upTo: Int(UInt16.max) - 4))))
        }
        return attributes
    }
}

extension InterfaceSnapshot {
    /// True if an IPv4 address has a limited lifetime, as one from a DHCP client.
    var isLeased: Bool { addresses.contains { $0.family == 2 && !$0.isPermanent } }

    /// True if it has an IPv4 address.
    var hasIPv4: Bool { addresses.contains { $0.family == 2 } }

    /// The snapshot without IPv4 addresses of limited lifetime, and without the routes that only they reach.
    var withoutLeases: InterfaceSnapshot {
        guard isLeased else { return self }
        var snapshot = self
        snapshot.addresses.removeAll { $0.family == 2 && !$0.isPermanent }
        let networks = snapshot.addresses.compactMap(\.address)
        snapshot.routes.removeAll { route in
            guard route.family == 2 else { return false }
            guard let gateway = route.gateway else { return route.isByDHCP }
            return !networks.contains { $0.reaches(gateway) }
        }
        return snapshot
    }
}

extension InterfaceSnapshot {
    /// The state as settings express it, by the last segments of their paths.
    var liveValues: [(key: String, value: JSONValue)] {
        var values: [(key: String, value: JSONValue)] = [
            ("enabled", .bool(isUp)), ("mtu", .integer(Int64(mtu))), ("dhcp", .bool(isLeased)),
            ("addresses", .array(addresses.compactMap { $0.address.map { .string("\($0)") } })),
        ]
        let defaults = routes.filter { $0.isDefault && $0.gateway != nil }.ordered {
            ($0.family, $0.metric) < ($1.family, $1.metric)
        }
        if let first = defaults.first, let gateway = first.gateway {
            values.append(("gateway", .string("\(gateway)")))
            if first.metric > 0 { values.append(("metric", .integer(Int64(first.metric)))) }
        }
        let others = routes.filter { $0 != defaults.first }.compactMap(\.setting)
        if !others.isEmpty { values.append(("routes", .array(others.map(\.value)))) }
        return values
    }
}
