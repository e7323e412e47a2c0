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
