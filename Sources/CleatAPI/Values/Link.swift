/// A network link in its present state.
package struct Link: Codable, Hashable, Sendable {
    /// The kernel's interface index.
    package var index: Int
    /// The interface name.
    package var name: String
    /// The kind of a virtual link: `veth`, `bridge`, `vlan`, ….
    package var kind: String?
    /// The hardware type: `ether`, `loopback`, ….
    package var type: String
    /// The hardware address, in colon form.
    package var address: String?
    /// The operational state: `up`, `down`, `dormant`, `unknown`, ….
    package var state: String
    /// True if there is a carrier.
    package var carrier: Bool
    /// True if it is administratively up.
    package var up: Bool
    /// The MTU in bytes.
    package var mtu: Int
    /// The addresses with their prefix lengths: `192.0.2.7/24`.
    package var addresses: [String]

    /// Creates a link.
    package init(
        index: Int, name: String, kind: String? = nil, type: String, address: String? = nil, state: String,
        carrier: Bool, up: Bool, mtu: Int, addresses: [String] = []
    ) {
        self.index = index
        self.name = name
        self.kind = kind
        self.type = type
        self.address = address
        self.state = state
        self.carrier = carrier
        self.up = up
        self.mtu = mtu
        self.addresses = addresses
    }
}
