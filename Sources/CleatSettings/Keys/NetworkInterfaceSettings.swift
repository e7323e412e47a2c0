/// The settings of one network interface.
public struct NetworkInterfaceSettings: Hashable, Sendable, Codable {
    /// True if the interface is brought up.
    public var enabled = true
    /// True if addresses are requested by DHCP.
    public var dhcp = true
    /// Fixed addresses with their prefix lengths: `192.0.2.10/24`.
    public var addresses: [String] = []
    /// The gateway of the default route.
    public var gateway: String?
    /// The name servers to query through this interface.
    public var dns: [String] = []
    /// The MTU in bytes; nil for the driver's default.
    public var mtu: Int?
    /// The static routes through the interface, in addition to the default route by its gateway.
    public var routes: [NetworkRoute] = []
    /// The metric of the default routes; nil for the network service's own.
    public var metric: UInt32?
    /// The domains in which short host names are looked up; nil for those of the network.
    public var search: [String]?
    /// The use of IPv6: `auto`, `static` or `off`; nil for the network service's default.
    public var ipv6: String?
    /// True if temporary IPv6 addresses are made and preferred; nil for the network service's default.
    public var privacy: Bool?
    /// The Wi-Fi networks that the interface joins, by names of your own.
    public var wifi: [String: WifiNetworkSettings] = [:]
    /// The VLAN that the interface is; nil if it is none.
    public var vlan: VLANSettings?
    /// The bridge that the interface is; nil if it is none.
    public var bridge: BridgeSettings?
    /// The bond that the interface is; nil if it is none.
    public var bond: BondSettings?

    /// Makes the settings of an interface without any set values.
    public init() {}

    /// Reads the settings; missing ones have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        enabled = try container.decodeIfPresent(Bool.self, forKey: .enabled) ?? true
        dhcp = try container.decodeIfPresent(Bool.self, forKey: .dhcp) ?? true
        addresses = try container.decodeIfPresent([String].self, forKey: .addresses) ?? []
        gateway = try container.decodeIfPresent(String.self, forKey: .gateway)
        dns = try container.decodeIfPresent([String].self, forKey: .dns) ?? []
        mtu = try container.decodeIfPresent(Int.self, forKey: .mtu)
        routes = try container.decodeIfPresent([NetworkRoute].self, forKey: .routes) ?? []
        metric = try container.decodeIfPresent(UInt32.self, forKey: .metric)
        search = try container.decodeIfPresent([String].self, forKey: .search)
        ipv6 = try container.decodeIfPresent(String.self, forKey: .ipv6)
        privacy = try container.decodeIfPresent(Bool.self, forKey: .privacy)
        wifi = try container.decodeIfPresent([String: WifiNetworkSettings].self, forKey: .wifi) ?? [:]
        vlan = try container.decodeIfPresent(VLANSettings.self, forKey: .vlan)
        bridge = try container.decodeIfPresent(BridgeSettings.self, forKey: .bridge)
        bond = try container.decodeIfPresent(BondSettings.self, forKey: .bond)
    }
}

/// One static route of a network interface.
public struct NetworkRoute: Hashable, Sendable, Codable {
    /// The destination network with its prefix length: `10.0.0.0/8`, or `0.0.0.0/0` for all others.
    public var destination: String
    /// The gateway that packets are sent to; nil if the network is on the link itself.
    public var gateway: String?
    /// The metric of the route: of several routes to one network the lowest is used; nil for the system's default.
    public var metric: UInt32?

    /// Makes a route.
    ///
    /// - Parameters:
    ///   - destination: the network with its prefix length.
    ///   - gateway: the gateway; nil if the network is on the link.
    ///   - metric: the metric, from 1; nil for the system's default.
    public init(_ destination: String, gateway: String? = nil, metric: UInt32? = nil) {
        self.destination = destination
        self.gateway = gateway
        self.metric = metric
    }
}

/// The settings of a VLAN (IEEE 802.1Q).
public struct VLANSettings: Hashable, Sendable, Codable {
    /// The number of the VLAN, from 1 to 4094; nil if it is not set.
    public var id: UInt16?
    /// The name of the interface that carries it; nil if it is not set.
    public var parent: String?

    /// Makes the settings of a VLAN without any set values.
    public init() {}
}

/// The settings of a bridge.
public struct BridgeSettings: Hashable, Sendable, Codable {
    /// The names of the interfaces that make up the bridge.
    public var ports: [String] = []
    /// True if the bridge finds loops and breaks them (IEEE 802.1D).
    public var stp = false

    /// Makes the settings of a bridge without any set values.
    public init() {}

    /// Reads the settings; missing ones have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ports = try container.decodeIfPresent([String].self, forKey: .ports) ?? []
        stp = try container.decodeIfPresent(Bool.self, forKey: .stp) ?? false
    }
}

/// The settings of a bond.
public struct BondSettings: Hashable, Sendable, Codable {
    /// The names of the interfaces that make up the bond.
    public var ports: [String] = []
    /// The way in which the bond uses its ports: `balance-rr`, `active-backup`, `balance-xor`, `broadcast`, `802.3ad`,
    /// `balance-tlb` or `balance-alb`.
    public var mode = "balance-rr"

    /// Makes the settings of a bond without any set values.
    public init() {}

    /// Reads the settings; missing ones have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ports = try container.decodeIfPresent([String].self, forKey: .ports) ?? []
        mode = try container.decodeIfPresent(String.self, forKey: .mode) ?? "balance-rr"
    }
}

/// The settings of a Wi-Fi network.
public struct WifiNetworkSettings: Hashable, Sendable, Codable {
    /// The name of the network (SSID), at most 32 bytes; nil if it is not set.
    public var ssid: String?
    /// The security: `wpa2`, `wpa3` or `open`.
    public var security = "wpa2"
    /// The passphrase, a secret: only root and the service's own user can read it.
    public var passphrase: String?
    /// True if the access point does not announce the network.
    public var hidden = false
    /// The priority, from 0 to 99: the network with the greatest is tried first.
    public var priority = 0

    /// Makes the settings of a network without any set values.
    public init() {}

    /// Reads the settings; missing ones have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ssid = try container.decodeIfPresent(String.self, forKey: .ssid)
        security = try container.decodeIfPresent(String.self, forKey: .security) ?? "wpa2"
        passphrase = try container.decodeIfPresent(String.self, forKey: .passphrase)
        hidden = try container.decodeIfPresent(Bool.self, forKey: .hidden) ?? false
        priority = try container.decodeIfPresent(Int.self, forKey: .priority) ?? 0
    }
}
