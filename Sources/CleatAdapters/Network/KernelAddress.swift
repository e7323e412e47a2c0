internal import CleatSettings

/// One address that the kernel has for an interface, with all that can be set of it (`struct ifaddrmsg`).
package struct KernelAddress: Hashable, Sendable {
    /// `AF_INET` or `AF_INET6`.
    let family: UInt8
    /// The length of the prefix in bits.
    let prefix: UInt8
    /// How far it is valid (`RT_SCOPE_*`).
    let scope: UInt8
    /// The flags that somebody has chosen (`IFA_F_*`).
    let flags: UInt32
    /// What else is set of it, by type: addresses, label, broadcast address, lifetimes, metric, who set it.
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
    /// `NODAD`, `HOMEADDRESS`, `MANAGETEMPADDR`, `NOPREFIXROUTE`, `MCAUTOJOIN`: the others are the kernel's own doing.
    private static let chosenFlags: UInt32 = 0x2 | 0x10 | 0x100 | 0x200 | 0x400
    /// `NOPREFIXROUTE`.
    private static let noRoute: UInt32 = 0x200
    private static let globalScope: UInt8 = 0
    private static let siteScope: UInt8 = 200
    private static let linkScope: UInt8 = 253
    private static let hostScope: UInt8 = 254

    /// A permanent address as a setting has it: IPv4 with the name of the interface as label, and the broadcast address of
    /// its network.
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

    /// Reads an object of the kernel's; nil where it is of another interface, or where it is not one that is managed: those
    /// that only hold on the link or in the board, and of IPv6 those that the kernel makes itself, by what routers say.
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
            // Behind the lifetimes stands when it was made and changed, which nobody can set.
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

    /// Whether it is of a kind that is read: not one that holds in the board only, or on the link by IPv6.
    var isManaged: Bool {
        family == 2 ? scope != Self.hostScope : [Self.globalScope, Self.siteScope].contains(scope)
    }

    private var local: [UInt8]? { attributes.value(Attribute.local) ?? attributes.value(Attribute.address) }

    /// The address and its prefix.
    package var address: InterfaceAddress? {
        local.flatMap { InternetAddress(bytes: $0) }.map { InterfaceAddress($0, prefix: prefix) }
    }

    /// Whether the kernel takes one for the other: it has no two of them on one interface.
    func isSame(as other: KernelAddress) -> Bool {
        family == other.family && prefix == other.prefix && local == other.local && peer == other.peer
    }

    private var peer: [UInt8]? { attributes.value(Attribute.address) ?? local }

    /// Whether it is the other one in all that can be set; the time that is left of a limited life is not compared.
    func matches(_ other: KernelAddress) -> Bool { plain == other.plain }

    private var plain: KernelAddress {
        var shown = attributes.filter { ![Attribute.lifetimes, Attribute.local, Attribute.address].contains($0.type) }
        shown += [RouteAttribute(Attribute.local, local ?? []), RouteAttribute(Attribute.address, peer ?? [])]
        // A limited life counts as such, however long it is.
        let life = attributes.value(Attribute.lifetimes) ?? []
        let isDeprecated = !life.isEmpty && life.prefix(4).allSatisfy { $0 == 0 }
        shown.append(RouteAttribute(Attribute.lifetimes, [isPermanent ? 1 : 0, isDeprecated ? 1 : 0]))
        return KernelAddress(
            family: family, prefix: prefix, scope: scope, flags: flags,
            attributes: shown.sorted { $0.type < $1.type })
    }

    /// Whether it holds for ever.
    var isPermanent: Bool {
        let life = attributes.value(Attribute.lifetimes) ?? []
        return life.isEmpty || life.dropFirst(4).allSatisfy { $0 == 0xff }
    }

    /// Whether it is as a setting would have it: it holds for ever, and its network is reached through the interface.
    var isPlain: Bool { isPermanent && flags & Self.noRoute == 0 }

    /// The request that adds it to an interface, or takes it away.
    func request(_ kind: RouteRequest.Kind, interface: UInt32) -> RouteRequest {
        var all = attributes
        if kind == .removeAddress {
            all = attributes.filter { [Attribute.local, Attribute.address].contains($0.plainType) }
        } else if flags != 0 {
            all.append(RouteAttribute(Attribute.flags, NativeBytes.bytes(flags)))
        }
        // The kernel wants the whole structure: how long it is valid, how long preferred, and two times that it sets itself.
        all = all.map {
            $0.plainType == Attribute.lifetimes && $0.value.count == 8
                ? RouteAttribute(Attribute.lifetimes, $0.value + [UInt8](repeating: 0, count: 8)) : $0
        }
        var body = [family, prefix, UInt8(truncatingIfNeeded: flags), scope]
        body += NativeBytes.bytes(interface)
        return RouteRequest(kind, body: body, attributes: all)
    }
}
