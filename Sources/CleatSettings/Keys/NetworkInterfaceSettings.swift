/// Holds the settings of one network interface.
public struct NetworkInterfaceSettings: Hashable, Sendable, Codable {
    /// Whether the interface is brought up.
    public var enabled = true
    /// Whether addresses are asked for by DHCP.
    public var dhcp = true
    /// Fixed addresses with their prefix lengths: `192.0.2.10/24`.
    public var addresses: [String] = []
    /// The router of the default route.
    public var gateway: String?
    /// The name servers to ask through this interface.
    public var dns: [String] = []
    /// The largest packet in bytes; nil for the driver's own.
    public var mtu: Int?
    /// Static routes through the interface, beside the one by its gateway.
    public var routes: [NetworkRoute] = []

    /// Makes the settings of an interface that nobody has set.
    public init() {}

    /// Reads the settings; those that are missing have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        enabled = try container.decodeIfPresent(Bool.self, forKey: .enabled) ?? true
        dhcp = try container.decodeIfPresent(Bool.self, forKey: .dhcp) ?? true
        addresses = try container.decodeIfPresent([String].self, forKey: .addresses) ?? []
        gateway = try container.decodeIfPresent(String.self, forKey: .gateway)
        dns = try container.decodeIfPresent([String].self, forKey: .dns) ?? []
        mtu = try container.decodeIfPresent(Int.self, forKey: .mtu)
        routes = try container.decodeIfPresent([NetworkRoute].self, forKey: .routes) ?? []
    }
}
