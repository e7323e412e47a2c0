internal import CleatSettings

/// The state of an interface as far as it can be restored.
///
/// It has the link state, the MTU, the addresses, and the routes of the main table through it, without those that the
/// kernel adds itself.
package struct InterfaceSnapshot: Hashable, Sendable {
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

    /// The encoding for a memento.
    ///
    /// It has a version, the fixed parts in network byte order, and the attributes in the byte order of this machine,
    /// as the kernel wrote them.
    var encoded: [UInt8] {
        var bytes: [UInt8] = [1, isUp ? 1 : 0]
        bytes += Self.big(mtu)
        bytes += Self.big(UInt16(addresses.count))
        for address in addresses {
            bytes += [address.family, address.prefix, address.scope]
            bytes += Self.big(address.flags)
            bytes += Self.encode(address.attributes)
        }
        bytes += Self.big(UInt16(routes.count))
        for route in routes {
            bytes += route.head
            bytes += Self.encode(route.attributes)
        }
        return bytes
    }

    /// Reads the format of ``encoded``; nil if the bytes are not valid.
    init?(encoded bytes: [UInt8]) {
        var rest = bytes[...]
        guard Self.take(1, &rest) == [1], let up = Self.take(1, &rest)?.first, let mtu = Self.number(4, &rest),
            let addressCount = Self.number(2, &rest)
        else { return nil }
        self.init(isUp: up != 0, mtu: mtu)
        for _ in 0..<addressCount {
            guard let head = Self.take(3, &rest), let flags = Self.number(4, &rest),
                let attributes = Self.attributes(&rest)
            else { return nil }
            addresses.append(
                KernelAddress(
                    family: head[0], prefix: head[1], scope: head[2], flags: flags, attributes: attributes))
        }
        guard let routeCount = Self.number(2, &rest) else { return nil }
        for _ in 0..<routeCount {
            guard let head = Self.take(8, &rest), let attributes = Self.attributes(&rest) else { return nil }
            routes.append(KernelRoute(head: head, attributes: attributes))
        }
        guard rest.isEmpty else { return nil }
    }

    private static func encode(_ attributes: [RouteAttribute]) -> [UInt8] {
        var bytes = big(UInt16(attributes.count))
        for attribute in attributes {
            bytes += big(attribute.type)
            bytes += big(UInt16(attribute.value.count))
            bytes += attribute.value
        }
        return bytes
    }

    private static func attributes(_ rest: inout ArraySlice<UInt8>) -> [RouteAttribute]? {
        guard let count = number(2, &rest) else { return nil }
        var attributes: [RouteAttribute] = []
        for _ in 0..<count {
            guard let type = number(2, &rest), let size = number(2, &rest), let value = take(Int(size), &rest) else {
                return nil
            }
            attributes.append(RouteAttribute(UInt16(type), value))
        }
        return attributes
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func number(_ size: Int, _ rest: inout ArraySlice<UInt8>) -> UInt32? {
        take(size, &rest)?.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Number($0)) }
    }
}

extension InterfaceSnapshot {
    /// True if an IPv4 address has a limited lifetime, as one from a DHCP client.
    var isLeased: Bool { addresses.contains { $0.family == 2 && !$0.isPermanent } }

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

    /// The gateways of the default routes.
    package var defaultGateways: [String] { routes.filter(\.isDefault).compactMap { $0.gateway?.description } }
}
