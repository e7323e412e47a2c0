import CleatOrder
internal import CleatSettings

/// One address of an interface in the kernel, with all attributes that can be set (`struct ifaddrmsg`).
package struct KernelAddress: Hashable, Sendable {
    /// `AF_INET` or `AF_INET6`.
    let family: UInt8
    /// The prefix length in bits.
    let prefix: UInt8
    /// The scope (`RT_SCOPE_*`).
    let scope: UInt8
    /// The flags that can be set by a request (`IFA_F_*`).
    let flags: UInt32
    /// The other attributes: addresses, label, broadcast address, lifetimes, metric, origin.
    let attributes: [RouteAttribute]

    private enum Attribute {
        static let address: UInt16 = 1
        static let local: UInt16 = 2
        static let label: UInt16 = 3
        static let broadcast: UInt16 = 4
        static let lifetimes: UInt16 = 6
        static let flags: UInt16 = 8
        static let metric: UInt16 = 9
        static let origin: UInt16 = 11
    }

    private static let permanent: UInt32 = 0x80
    /// `NODAD`, `HOMEADDRESS`, `MANAGETEMPADDR`, `NOPREFIXROUTE` and `MCAUTOJOIN`; the kernel sets the other flags
    /// itself.
    private static let chosenFlags: UInt32 = 0x2 | 0x10 | 0x100 | 0x200 | 0x400
    /// `NOPREFIXROUTE`.
    private static let noRoute: UInt32 = 0x200
    private static let globalScope: UInt8 = 0
    private static let siteScope: UInt8 = 200
    private static let linkScope: UInt8 = 253
    private static let hostScope: UInt8 = 254

    /// Creates a permanent address from a setting.
    ///
    /// An IPv4 address gets the interface's name as its label, and the broadcast address of its network.
    init(_ address: InterfaceAddress, of interface: String) {
        let bytes = address.address.bytes
        family = address.address.family
        prefix = address.prefix
        scope = Self.scope(of: address.address)
        flags = 0
        var attributes = [RouteAttribute(Attribute.address, bytes), RouteAttribute(Attribute.local, bytes)]
        if case .v4(let value) = address.address {
            attributes.append(RouteAttribute(Attribute.label, Array(interface.utf8) + [0]))
            if address.prefix < 31 {
                let broadcast = InternetAddress.v4(value | UInt32.max >> UInt32(address.prefix)).bytes
                attributes.append(RouteAttribute(Attribute.broadcast, broadcast))
            }
        }
        let forever = NativeBytes.bytes(UInt32.max)
        attributes.append(RouteAttribute(Attribute.lifetimes, forever + forever))
        self.attributes = attributes
    }

    private static func scope(of address: InternetAddress) -> UInt8 {
        switch address {
        case .v4(let value) where value >> 24 == 127: hostScope
        case .v6 where address.isLinkLocal: linkScope
        default: globalScope
        }
    }

    /// Reads an object of rtnetlink; nil if it belongs to another interface, or is not managed.
    ///
    /// Not managed are host-scope IPv4 addresses, and IPv6 addresses of link or host scope, or without
    /// `IFA_F_PERMANENT`, as the kernel adds them by router advertisements.
    init?(_ object: ArraySlice<UInt8>, of interface: UInt32) {
        guard object.count >= 8, NativeBytes.number(UInt32.self, in: object, at: 4) == interface,
            let start = object.first, start == 2 || start == 10
        else { return nil }
        let head = Array(object.prefix(8))
        let found = RouteAttribute.list(in: object.dropFirst(8))
        let all = found.number(Attribute.flags) ?? UInt32(head[2])
        let isManaged =
            head[0] == 2
            ? head[3] != Self.hostScope
            : [Self.globalScope, Self.siteScope].contains(head[3]) && all & Self.permanent != 0
        guard isManaged else { return nil }
        (family, prefix, scope, flags) = (head[0], head[1], head[3], all & Self.chosenFlags)
        let size = head[0] == 2 ? 4 : 16
        let kept: [UInt16] = [
            Attribute.address, Attribute.local, Attribute.label, Attribute.broadcast, Attribute.lifetimes,
            Attribute.metric, Attribute.origin,
        ]
        attributes = found.filter { kept.contains($0.plainType) }.map { attribute in
            // The lifetimes are followed by the times of creation and change, which cannot be set.
            attribute.plainType == Attribute.lifetimes
                ? RouteAttribute(Attribute.lifetimes, Array(attribute.value.prefix(8))) : attribute
        }
        guard let local, local.count == size else { return nil }
    }

    init(family: UInt8, prefix: UInt8, scope: UInt8, flags: UInt32, attributes: [RouteAttribute]) {
        self.family = family
        self.prefix = prefix
        self.scope = scope
        self.flags = flags
        self.attributes = attributes
    }

    /// True if addresses of this scope are managed: for IPv4 any but host scope, for IPv6 global and site scope.
    var isManaged: Bool {
        family == 2 ? scope != Self.hostScope : [Self.globalScope, Self.siteScope].contains(scope)
    }

    private var local: [UInt8]? { attributes.value(Attribute.local) ?? attributes.value(Attribute.address) }

    /// The address and its prefix length.
    package var address: InterfaceAddress? {
        local.flatMap { InternetAddress(bytes: $0) }.map { InterfaceAddress($0, prefix: prefix) }
    }

    /// Returns true if the kernel treats both as the same address, of which an interface can have only one.
    func isSame(as other: KernelAddress) -> Bool {
        family == other.family && prefix == other.prefix && local == other.local && peer == other.peer
    }

    private var peer: [UInt8]? { attributes.value(Attribute.address) ?? local }

    /// Returns true if both agree in everything that can be set; remaining lifetimes are not compared.
    func matches(_ other: KernelAddress) -> Bool { plain == other.plain }

    private var plain: KernelAddress {
        var shown = attributes.filter { ![Attribute.lifetimes, Attribute.local, Attribute.address].contains($0.type) }
        shown += [RouteAttribute(Attribute.local, local ?? []), RouteAttribute(Attribute.address, peer ?? [])]
        // A limited lifetime is compared as such, whatever its length.
        let life = attributes.value(Attribute.lifetimes) ?? []
        let isDeprecated = !life.isEmpty && life.prefix(4).allSatisfy { $0 == 0 }
        shown.append(RouteAttribute(Attribute.lifetimes, [isPermanent ? 1 : 0, isDeprecated ? 1 : 0]))
        return KernelAddress(
            family: family, prefix: prefix, scope: scope, flags: flags,
            attributes: shown.ordered { $0.type < $1.type })
    }

    /// True if the address has no limited lifetime.
    var isPermanent: Bool {
        let life = attributes.value(Attribute.lifetimes) ?? []
        return life.isEmpty || life.dropFirst(4).allSatisfy { $0 == 0xff }
    }

    /// True if a setting can express it: it is permanent, and its network is reached through the interface.
    var isPlain: Bool { isPermanent && flags & Self.noRoute == 0 }

    /// Returns the request that adds it to an interface, or removes it.
    func request(_ kind: RouteRequest.Kind, interface: UInt32) -> RouteRequest {
        var all = attributes
        if kind == .removeAddress {
            all = attributes.filter { [Attribute.local, Attribute.address].contains($0.plainType) }
        } else if flags != 0 {
            all.append(RouteAttribute(Attribute.flags, NativeBytes.bytes(flags)))
        }
        // The kernel wants the whole structure: the preferred and valid lifetimes, and two times that it sets itself.
        all = all.map {
            $0.plainType == Attribute.lifetimes && $0.value.count == 8
                ? RouteAttribute(Attribute.lifetimes, $0.value + [UInt8](repeating: 0, count: 8)) : $0
        }
        var body = [family, prefix, UInt8(truncatingIfNeeded: flags), scope]
        body += NativeBytes.bytes(interface)
        return RouteRequest(kind, body: body, attributes: all)
    }
}
