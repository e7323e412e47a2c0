internal import CleatIO

/// The operational state of a link, with the terms of RFC 2863 (`IF_OPER_*` of the kernel).
package enum OperationalState: UInt8, Sendable, Hashable {
    case unknown = 0
    case notPresent = 1
    case down = 2
    case lowerLayerDown = 3
    case testing = 4
    case dormant = 5
    case up = 6

    /// The name that `ip link` and `/sys/class/net/*/operstate` use: in lower case, without spaces.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .notPresent: "notpresent"
        case .down: "down"
        case .lowerLayerDown: "lowerlayerdown"
        case .testing: "testing"
        case .dormant: "dormant"
        case .up: "up"
        }
    }
}

/// The flags of a link (`IFF_*`).
package struct LinkFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    /// Makes a set from the kernel's bits.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The administrator has switched the link on.
    package static let up = LinkFlags(rawValue: 1 << 0)
    /// The link can send to all hosts on its network at once.
    package static let broadcast = LinkFlags(rawValue: 1 << 1)
    /// The link is a loopback: it leads back to the machine itself.
    package static let loopback = LinkFlags(rawValue: 1 << 3)
    /// The link has exactly one peer.
    package static let pointToPoint = LinkFlags(rawValue: 1 << 4)
    /// The link is operational.
    package static let running = LinkFlags(rawValue: 1 << 6)
    /// The link does no address resolution.
    package static let noARP = LinkFlags(rawValue: 1 << 7)
    /// The link receives every packet on its network.
    package static let promiscuous = LinkFlags(rawValue: 1 << 8)
    /// The link is part of a bond or team.
    package static let slave = LinkFlags(rawValue: 1 << 11)
    /// The link can send to multicast groups.
    package static let multicast = LinkFlags(rawValue: 1 << 12)
    /// The driver sees a carrier.
    package static let lowerUp = LinkFlags(rawValue: 1 << 16)

    /// The names of the flags that are set, as `ip link` prints them, joined by commas.
    package var names: String {
        let known: [(LinkFlags, String)] = [
            (.up, "UP"), (.broadcast, "BROADCAST"), (.loopback, "LOOPBACK"), (.pointToPoint, "POINTOPOINT"),
            (.running, "RUNNING"), (.noARP, "NOARP"), (.promiscuous, "PROMISC"), (.slave, "SLAVE"),
            (.multicast, "MULTICAST"), (.lowerUp, "LOWER_UP"),
        ]
        return known.filter { contains($0.0) }.map(\.1).joined(separator: ",")
    }
}

/// The fields that the observer keeps of one link.
package struct LinkRecord: Sendable, Equatable {
    /// The interface index of the link in its network namespace.
    package var index: Int32
    /// The interface's name.
    package var name: String
    /// The kind of virtual link (`veth`, `bridge`, …); nil for hardware.
    package var kind: String?
    /// The hardware type (`ARPHRD_*`).
    package var hardwareType: UInt16
    /// The link-layer address as hexadecimal bytes with colons; nil if there is none.
    package var address: String?
    /// The operational state.
    package var state: OperationalState
    /// True if the driver sees a carrier.
    package var carrier: Bool
    /// The flags.
    package var flags: LinkFlags
    /// The MTU in bytes.
    package var mtu: UInt32

    /// Makes a record from its parts.
    package init(
        index: Int32, name: String, kind: String? = nil, hardwareType: UInt16 = 1, address: String? = nil,
        state: OperationalState = .down, carrier: Bool = false, flags: LinkFlags = [], mtu: UInt32 = 1_500
    ) {
        self.index = index
        self.name = name
        self.kind = kind
        self.hardwareType = hardwareType
        self.address = address
        self.state = state
        self.carrier = carrier
        self.flags = flags
        self.mtu = mtu
    }

    /// True if packets can pass: the state is `up`, or it is `unknown` (as for the loopback) and the link is switched
    /// on with a carrier.
    package var isUsable: Bool {
        switch state {
        case .up: true
        case .unknown: flags.contains(.up) && flags.contains(.lowerUp)
        default: false
        }
    }

    /// The hardware type as a word.
    package var typeName: String {
        switch hardwareType {
        case 1: flags.contains(.loopback) ? "loopback" : "ether"
        case 32: "infiniband"
        case 280: "can"
        case 512: "ppp"
        case 768: "ipip"
        case 769: "ip6ip6"
        case 772: "loopback"
        case 776: "sit"
        case 778: "gre"
        case 801, 802, 803: "wireless"
        case 804: "ieee802154"
        case 824: "netlink"
        case 825: "6lowpan"
        case 65_534: "none"
        default: "type\(hardwareType)"
        }
    }
}

extension LinkRecord {
    /// Parses the body of an `RTM_NEWLINK` or `RTM_DELLINK` message; nil if it is not valid.
    init?(_ payload: ByteView) {
        // struct ifinfomsg: family, padding, type, index, flags, change.
        guard payload.count >= 16, payload.byte(at: 0) == 0, let type = payload.native16(at: 2),
            let rawIndex = payload.native32(at: 4), let flags = payload.native32(at: 8)
        else { return nil }
        let index = Int32(bitPattern: rawIndex)
        guard index > 0 else { return nil }
        self.init(index: index, name: "", hardwareType: type, flags: LinkFlags(rawValue: flags))
        var reportsCarrier = false
        for (type, value) in RouteAttributes(payload.part(at: 16, count: payload.count - 16)) {
            switch type {
            case 1: address = Self.hexadecimal(value)
            case 3: name = value.text ?? ""
            case 4: mtu = value.native32(at: 0) ?? mtu
            case 16: state = value.byte(at: 0).flatMap(OperationalState.init(rawValue:)) ?? .unknown
            case 18:
                for (type, value) in RouteAttributes(value) where type == 1 { kind = value.text }
            case 33:
                carrier = value.byte(at: 0) == 1
                reportsCarrier = true
            default: break
            }
        }
        if !reportsCarrier { carrier = self.flags.contains(.lowerUp) }
        guard !name.isEmpty, name.utf8.count <= 15 else { return nil }
    }

    private static func hexadecimal(_ value: ByteView) -> String? {
        guard value.count > 0, value.count <= 32 else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(value.count * 3)
        for byte in value.slice {
            if !text.isEmpty { text.append(UInt8(ascii: ":")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
