import CleatIO

/// A default route of the main routing table: the way to every address that no other route has.
package struct DefaultRoute: Sendable, Hashable {
    /// The index of the link that packets leave by.
    package var index: Int32
    /// True for IPv6.
    package var isIPv6: Bool
    /// The bytes of the gateway's address; empty if addresses are reached without one.
    package var gateway: [UInt8]
    /// The metric; the route with the lowest one is used.
    package var metric: UInt32

    /// Makes a route from its parts.
    package init(index: Int32, isIPv6: Bool = false, gateway: [UInt8] = [], metric: UInt32 = 0) {
        self.index = index
        self.isIPv6 = isIPv6
        self.gateway = gateway
        self.metric = metric
    }

    /// The address family as a word.
    package var family: String { isIPv6 ? "ipv6" : "ipv4" }

    /// The gateway's address as text; nil if there is none.
    package var gatewayText: String? { gateway.isEmpty ? nil : AddressRecord.text(of: gateway) }

    /// Returns true if the first route comes before the second: IPv4 first, then by metric and gateway.
    static func precedes(_ first: DefaultRoute, _ second: DefaultRoute) -> Bool {
        if first.isIPv6 != second.isIPv6 { return second.isIPv6 }
        if first.metric != second.metric { return first.metric < second.metric }
        return first.gateway.lexicographicallyPrecedes(second.gateway)
    }
}

extension DefaultRoute {
    // Families, the main table, the type of a route that leads to a gateway or link, and flags of rtnetlink(7).
    private static let families: [UInt8: Int] = [2: 4, 10: 16]
    private static let mainTable: UInt32 = 254
    private static let unicast: UInt8 = 1
    private static let cloned: UInt32 = 0x200
    private static let dead: UInt8 = 0x1

    /// Parses the body of an `RTM_NEWROUTE` or `RTM_DELROUTE` message.
    ///
    /// - Returns: the default routes, one for each next hop; empty for any other route, and for a body that is not valid.
    static func parse(_ payload: ByteView) -> [DefaultRoute] {
        // struct rtmsg: family, destination length, source length, tos, table, protocol, scope, type, flags.
        guard let family = payload.byte(at: 0), let size = families[family], payload.byte(at: 1) == 0,
            payload.byte(at: 2) == 0, let table = payload.byte(at: 4), payload.byte(at: 7) == unicast,
            let flags = payload.native32(at: 8), flags & cloned == 0
        else { return [] }
        var tableNumber = UInt32(table)
        var metric: UInt32 = 0
        var hop = NextHop()
        var hops: [NextHop] = []
        for (type, value) in RouteAttributes(payload.part(at: 12, count: payload.count - 12)) {
            switch type {
            case 6: metric = value.native32(at: 0) ?? 0
            case 9: hops = NextHop.list(value, size)
            case 15: tableNumber = value.native32(at: 0) ?? tableNumber
            default: hop.take(type, value, size)
            }
        }
        guard tableNumber == mainTable else { return [] }
        if UInt8(truncatingIfNeeded: flags) & dead == 0, hops.isEmpty { hops = [hop] }
        return hops.filter { $0.index > 0 }.map {
            DefaultRoute(index: $0.index, isIPv6: family == 10, gateway: $0.gateway, metric: metric)
        }
    }

    /// One way of a route.
    private struct NextHop {
        var index: Int32 = 0
        var gateway: [UInt8] = []

        mutating func take(_ type: UInt16, _ value: ByteView, _ size: Int) {
            switch type {
            case 4: index = Int32(bitPattern: value.native32(at: 0) ?? 0)
            case 5 where value.count == size: gateway = Array(value.slice)
            // RTA_VIA: a gateway of the other family.
            case 18 where value.count == 6 || value.count == 18: gateway = Array(value.slice.dropFirst(2))
            default: break
            }
        }

        /// Parses the ways of a route with several: struct rtnexthop, each with attributes.
        static func list(_ view: ByteView, _ size: Int) -> [NextHop] {
            var hops: [NextHop] = []
            var offset = 0
            while hops.count < RouteAttributes.limit, let length = view.native16(at: offset).map({ Int($0) }),
                length >= 8, let part = view.part(at: offset, count: length), let flags = part.byte(at: 2),
                let index = part.native32(at: 4)
            {
                var hop = NextHop()
                for (type, value) in RouteAttributes(part.part(at: 8, count: length - 8)) {
                    hop.take(type, value, size)
                }
                hop.index = Int32(bitPattern: index)
                if flags & dead == 0 { hops.append(hop) }
                offset += (length + 3) & ~3
            }
            return hops
        }
    }
}
