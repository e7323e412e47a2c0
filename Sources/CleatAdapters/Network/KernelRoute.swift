internal import CleatSettings

/// One route of the main table through one interface, with all attributes that can be set (`struct rtmsg`).
package struct KernelRoute: Hashable, Sendable {
    /// `AF_INET` or `AF_INET6`.
    let family: UInt8
    /// The prefix lengths of destination and source, and the type of service.
    let lengths: [UInt8]
    /// The origin (`RTPROT_*`).
    let origin: UInt8
    /// The scope of the destination (`RT_SCOPE_*`).
    let scope: UInt8
    /// The route type (`RTN_*`).
    let type: UInt8
    /// True if the gateway is on the link, although no address covers it (`RTNH_F_ONLINK`).
    let isOnLink: Bool
    /// The other attributes.
    let attributes: [RouteAttribute]

    private enum Attribute {
        static let destination: UInt16 = 1
        static let interface: UInt16 = 4
        static let gateway: UInt16 = 5
        static let metric: UInt16 = 6
        static let via: UInt16 = 18
        static let table: UInt16 = 15
        static let preference: UInt16 = 20
        /// Destination, source, gateway, metric, preferred source, metrics, realm, gateway of another family,
        /// preference, encapsulation.
        static let kept: [UInt16] = [1, 2, gateway, 6, 7, 8, 11, via, 20, 21, 22]
        /// Multipath, and a reference to a nexthop object; such routes do not belong to one interface.
        static let shared: [UInt16] = [9, 30]
    }

    private static let mainTable: UInt32 = 254
    private static let onLink: UInt32 = 4
    private static let cloned: UInt32 = 0x200
    /// The origins `RTPROT_REDIRECT`, `RTPROT_KERNEL` and `RTPROT_RA`.
    private static let kernelOrigins: [UInt8] = [1, 2, 9]

    /// Creates the default route through a gateway.
    init(defaultThrough gateway: InternetAddress) {
        family = gateway.family
        lengths = [0, 0, 0]
        origin = 4
        scope = 0
        type = 1
        isOnLink = false
        attributes = [RouteAttribute(Attribute.gateway, gateway.bytes)]
    }

    /// Creates a route from a setting, with the origin of an administrator (`RTPROT_STATIC`).
    init(_ route: InterfaceRoute) {
        let destination = route.destination
        family = destination.address.family
        lengths = [destination.prefix, 0, 0]
        origin = 4
        // An IPv4 route on the link needs an explicit scope (`RT_SCOPE_LINK`).
        scope = route.gateway == nil && family == 2 ? 253 : 0
        type = 1
        isOnLink = false
        var attributes: [RouteAttribute] = []
        if destination.prefix > 0 {
            attributes.append(RouteAttribute(Attribute.destination, destination.address.bytes))
        }
        if let metric = route.metric { attributes.append(RouteAttribute(Attribute.metric, NativeBytes.bytes(metric))) }
        if let gateway = route.gateway { attributes.append(RouteAttribute(Attribute.gateway, gateway.bytes)) }
        self.attributes = attributes
    }

    /// Reads an object of rtnetlink; nil if it is not a managed route through the interface.
    ///
    /// Not managed are routes through another interface or several, of another table, or made by the kernel itself.
    init?(_ object: ArraySlice<UInt8>, through interface: UInt32) {
        guard object.count >= 12, let flags = NativeBytes.number(UInt32.self, in: object, at: 8) else { return nil }
        let head = Array(object.prefix(8))
        guard [2, 10].contains(head[0]), flags & Self.cloned == 0, !Self.kernelOrigins.contains(head[5]) else {
            return nil
        }
        let found = RouteAttribute.list(in: object.dropFirst(12))
        guard found.number(Attribute.interface) == interface,
            found.number(Attribute.table) ?? UInt32(head[4]) == Self.mainTable,
            !found.contains(where: { Attribute.shared.contains($0.plainType) })
        else { return nil }
        (family, lengths, origin, scope, type) = (head[0], Array(head[1...3]), head[5], head[6], head[7])
        isOnLink = flags & Self.onLink != 0
        attributes = found.filter { Attribute.kept.contains($0.plainType) }
    }

    /// Returns the gateways of an IPv6 default route through an interface, also of a multipath route (`struct
    /// rtnexthop`).
    static func gateways(ofDefault object: ArraySlice<UInt8>, through interface: UInt32) -> Set<InternetAddress> {
        guard object.count >= 12, Array(object.prefix(2)) == [10, 0] else { return [] }
        let found = RouteAttribute.list(in: object.dropFirst(12))
        guard found.number(Attribute.table) == mainTable else { return [] }
        var gateways: Set<InternetAddress> = []
        func take(_ attributes: [RouteAttribute]) {
            guard let gateway = attributes.value(Attribute.gateway).flatMap({ InternetAddress(bytes: $0) }) else {
                return
            }
            gateways.insert(gateway)
        }
        if found.number(Attribute.interface) == interface { take(found) }
        var rest = (found.value(multipath) ?? [])[...]
        while rest.count >= 8, let size = NativeBytes.number(UInt16.self, in: rest, at: 0).map({ Int($0) }), size >= 8,
            size <= rest.count
        {
            if NativeBytes.number(UInt32.self, in: rest, at: 4) == interface {
                take(RouteAttribute.list(in: rest.dropFirst(8).prefix(size - 8)))
            }
            rest = rest.dropFirst((size + 3) & ~3)
        }
        return gateways
    }

    /// `RTA_MULTIPATH`.
    private static let multipath: UInt16 = 9

    init(head: [UInt8], attributes: [RouteAttribute]) {
        (family, lengths, origin) = (head[0], Array(head[1...3]), head[4])
        (scope, type, isOnLink) = (head[5], head[6], head[7] != 0)
        self.attributes = attributes
    }

    /// The fixed part in the format of a memento, 8 bytes.
    var head: [UInt8] {
        var head = [family]
        head += lengths
        head += [origin, scope, type, isOnLink ? 1 : 0]
        return head
    }

    /// True if it is a default route.
    var isDefault: Bool { lengths[0] == 0 && type == 1 }

    /// True if a DHCP client has added it, and manages it (`RTPROT_DHCP`).
    var isByDHCP: Bool { origin == 16 }

    /// The metric; the kernel's default if the route has none.
    var metric: UInt32 {
        attributes.number(Attribute.metric) ?? InterfaceRoute.standardMetric(isIPv6: family == 10)
    }

    /// The route as an element of a setting; nil if settings cannot express it whole, as with a preferred source.
    var plainSetting: InterfaceRoute? {
        let known = [Attribute.destination, Attribute.gateway, Attribute.metric, Attribute.preference]
        guard lengths[1] == 0, lengths[2] == 0, !isOnLink, attributes.allSatisfy({ known.contains($0.plainType) })
        else {
            return nil
        }
        return setting
    }

    /// The route as an element of a setting; nil if settings cannot express it.
    var setting: InterfaceRoute? {
        guard type == 1, hasGateway == (gateway != nil) else { return nil }
        let everywhere = InternetAddress(bytes: [UInt8](repeating: 0, count: family == 10 ? 16 : 4))
        guard
            let destination = attributes.value(Attribute.destination).flatMap({ InternetAddress(bytes: $0) })
                ?? everywhere
        else { return nil }
        return InterfaceRoute(
            InterfaceAddress(destination, prefix: lengths[0]), gateway: gateway,
            metric: attributes.number(Attribute.metric))
    }

    /// Returns true if a table can hold only one of both: they have the same network and metric.
    func collides(with other: KernelRoute) -> Bool {
        metric == other.metric && hasDestination(of: other)
    }

    /// Returns true if both routes have the same network.
    func hasDestination(of other: KernelRoute) -> Bool {
        family == other.family && lengths == other.lengths
            && attributes.value(Attribute.destination) == other.attributes.value(Attribute.destination)
    }

    /// Returns true if packets take the same path by both.
    func leads(as other: KernelRoute) -> Bool {
        type == other.type && hasGateway == other.hasGateway && gateway == other.gateway
    }

    /// The same route with the onlink flag; nil if it has no gateway, or has the flag already.
    var onLink: KernelRoute? {
        guard hasGateway, !isOnLink else { return nil }
        var head = head
        head[7] = 1
        return KernelRoute(head: head, attributes: attributes)
    }

    /// True if it has a gateway, which another route must reach.
    var hasGateway: Bool { (attributes.value(Attribute.gateway) ?? attributes.value(Attribute.via)) != nil }

    /// The gateway; nil if there is none of the same family.
    var gateway: InternetAddress? { attributes.value(Attribute.gateway).flatMap { InternetAddress(bytes: $0) } }

    /// Returns the request that adds it, or removes it.
    func request(_ kind: RouteRequest.Kind, interface: UInt32) -> RouteRequest {
        var body = [family]
        body += lengths
        body += [UInt8(Self.mainTable), origin, scope, type]
        body += NativeBytes.bytes(isOnLink ? Self.onLink : 0)
        let through = RouteAttribute(Attribute.interface, NativeBytes.bytes(interface))
        return RouteRequest(kind, body: body, attributes: attributes + [through])
    }

    /// The route in the format of ip-route(8), for users.
    package var text: String {
        let destination = attributes.value(Attribute.destination).flatMap { InternetAddress(bytes: $0) }
        let name = destination.map { "\($0)/\(lengths[0])" } ?? "default"
        let metric = attributes.number(Attribute.metric).map { " metric \($0)" } ?? ""
        return (gateway.map { "\(name) via \($0)" } ?? name) + (family == 10 && metric == " metric 1024" ? "" : metric)
    }
}
