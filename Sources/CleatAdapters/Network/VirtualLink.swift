internal import CleatIO
internal import CleatJSON

/// An interface that the kernel makes of others: a VLAN (IEEE 802.1Q), a bridge or a bond.
package struct VirtualLink: Equatable, Sendable {
    /// The kind with its parameters.
    enum Kind: Equatable, Sendable {
        /// A VLAN with its number; nil if it is not set.
        case vlan(UInt16?)
        /// A bridge.
        case bridge(hasSpanningTree: Bool)
        /// A bond.
        case bond(BondMode)
    }

    var kind: Kind
    /// The parent of a VLAN, or the ports of a bridge or bond.
    var members: [String] = []

    init(_ kind: Kind, of members: [String] = []) { (self.kind, self.members) = (kind, members) }

    /// Creates a link without settings, by the key of its settings; nil for another key.
    init?(type: String) {
        switch type {
        case "vlan": self.init(.vlan(nil))
        case "bridge": self.init(.bridge(hasSpanningTree: false))
        case "bond": self.init(.bond(.roundRobin))
        default: return nil
        }
    }

    /// The name of its kind: in the kernel (`IFLA_INFO_KIND`), as the type of its device, and as the key of its settings.
    var type: String {
        switch kind {
        case .vlan: "vlan"
        case .bridge: "bridge"
        case .bond: "bond"
        }
    }

    /// The module of the kernel that makes links of its kind.
    var module: String {
        switch kind {
        case .vlan: "8021q"
        case .bridge: "bridge"
        case .bond: "bonding"
        }
    }

    /// True if its members are ports, which have no addresses of their own.
    var hasPorts: Bool { if case .vlan = kind { false } else { true } }

    /// Takes the value of a setting.
    mutating func take(_ value: JSONValue, _ key: String) {
        switch key {
        case "id": kind = .vlan(value.integerValue.flatMap { UInt16(exactly: $0) })
        case "parent": members = value.stringValue.map { [$0] } ?? []
        case "ports": members = value.arrayValue?.compactMap(\.stringValue) ?? []
        case "stp": kind = .bridge(hasSpanningTree: value.boolValue ?? false)
        case "mode": kind = .bond(value.stringValue.flatMap { BondMode($0) } ?? .roundRobin)
        default: break
        }
    }

    /// The settings by their keys below the interface.
    var values: [(key: String, value: JSONValue)] {
        let ports = JSONValue.array(members.map { .string($0) })
        switch kind {
        case .vlan(let number):
            return [("vlan/id", .integer(Int64(number ?? 0)))] + members.prefix(1).map { ("vlan/parent", .string($0)) }
        case .bridge(let hasSpanningTree): return [("bridge/ports", ports), ("bridge/stp", .bool(hasSpanningTree))]
        case .bond(let mode): return [("bond/mode", .string(mode.name)), ("bond/ports", ports)]
        }
    }
}

extension VirtualLink: CustomStringConvertible {
    /// The link in one line, for users and as a captured state: `vlan 10 of eth0`, `bridge stp=off of eth1 eth2`.
    package var description: String {
        let parameter =
            switch kind {
            case .vlan(let number): "\(number ?? 0)"
            case .bridge(let hasSpanningTree): hasSpanningTree ? "stp=on" : "stp=off"
            case .bond(let mode): mode.name
            }
        return "\(type) \(parameter)" + (members.isEmpty ? "" : " of " + members.sortedByBytes().joined(separator: " "))
    }

    /// Reads ``description``; nil if it is not valid, or empty.
    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 2 || words.count > 3 && words[2] == "of" else { return nil }
        let members = Array(words.dropFirst(3))
        switch (words[0], words[1]) {
        case ("vlan", let number):
            guard let number = UInt16(number) else { return nil }
            self.init(.vlan(number), of: members)
        case ("bridge", "stp=on"): self.init(.bridge(hasSpanningTree: true), of: members)
        case ("bridge", "stp=off"): self.init(.bridge(hasSpanningTree: false), of: members)
        case ("bond", let name):
            guard let mode = BondMode(name) else { return nil }
            self.init(.bond(mode), of: members)
        default: return nil
        }
    }
}

/// The mode of a bond, by its number in the kernel (`IFLA_BOND_MODE`, see Documentation/networking/bonding.rst).
enum BondMode: UInt8, CaseIterable, Sendable {
    case roundRobin
    case activeBackup
    case exclusiveOr
    case broadcast
    case aggregation
    case adaptiveTransmit
    case adaptive

    /// The interval of the check for a carrier, in milliseconds (`IFLA_BOND_MIIMON`).
    static let checkInterval: UInt32 = 100

    /// The name that the kernel and all network services use.
    var name: String {
        switch self {
        case .roundRobin: "balance-rr"
        case .activeBackup: "active-backup"
        case .exclusiveOr: "balance-xor"
        case .broadcast: "broadcast"
        case .aggregation: "802.3ad"
        case .adaptiveTransmit: "balance-tlb"
        case .adaptive: "balance-alb"
        }
    }

    /// Returns the mode of a name; nil if there is none.
    init?(_ name: String) {
        guard let mode = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = mode
    }
}
