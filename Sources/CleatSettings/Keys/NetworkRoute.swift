/// One static route of a network interface.
public struct NetworkRoute: Hashable, Sendable, Codable {
    /// The network that it leads to, with its prefix length: `10.0.0.0/8`, or `0.0.0.0/0` for all others.
    public var destination: String
    /// The router that packets are sent to; nil where the network is on the link itself.
    public var gateway: String?
    /// What it counts against other routes to the same network, of which the least is taken; nil for the system's own.
    public var metric: UInt32?

    /// Makes a route.
    ///
    /// - Parameters:
    ///   - destination: the network with its prefix length.
    ///   - gateway: the router; nil where the network is on the link.
    ///   - metric: what it counts against other routes to the same network, from 1; nil for the system's own.
    public init(_ destination: String, gateway: String? = nil, metric: UInt32? = nil) {
        self.destination = destination
        self.gateway = gateway
        self.metric = metric
    }
}
