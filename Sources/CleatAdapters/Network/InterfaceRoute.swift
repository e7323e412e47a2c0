package import CleatJSON
package import CleatSettings

/// A static route of an interface, as in a setting.
package struct InterfaceRoute: Hashable, Sendable {
    /// The destination network.
    package let destination: InterfaceAddress
    /// The router; nil if the network is on the link.
    package let gateway: InternetAddress?
    /// The metric; nil for the kernel's default.
    package let metric: UInt32?

    /// Creates a route.
    package init(_ destination: InterfaceAddress, gateway: InternetAddress? = nil, metric: UInt32? = nil) {
        self.destination = destination
        self.gateway = gateway
        self.metric = metric
    }

    /// Reads an element of the setting; nil if it is not valid.
    init?(_ value: JSONValue) {
        guard let destination = value["destination"]?.stringValue.flatMap({ InterfaceAddress($0) }) else { return nil }
        let gateway = value["gateway"]?.stringValue
        self.init(
            destination, gateway: gateway.flatMap { InternetAddress($0) },
            metric: value["metric"]?.integerValue.flatMap { UInt32(exactly: $0) })
        if gateway != nil, self.gateway == nil { return nil }
    }

    /// The route as an element of the setting.
    package var value: JSONValue {
        var members: JSONObject = ["destination": .string("\(destination)")]
        if let gateway { members["gateway"] = .string("\(gateway)") }
        if let metric { members["metric"] = .integer(Int64(metric)) }
        return .object(members)
    }

    /// The metric that the kernel uses; it is unique among the routes of a table to the same network.
    var effectiveMetric: UInt32 { metric ?? Self.standardMetric(isIPv6: destination.address.bits == 128) }

    /// Returns the metric of routes without an explicit one (`IP6_RT_PRIO_USER`).
    static func standardMetric(isIPv6: Bool) -> UInt32 { isIPv6 ? 1024 : 0 }

    /// The key of a route in a table: its network and its metric.
    struct Place: Hashable {
        let destination: InterfaceAddress
        let metric: UInt32
    }

    /// The key of the route in a table.
    var place: Place { Place(destination: destination, metric: effectiveMetric) }

    /// Returns true if both routes have the same network and metric, so that a table can hold only one of them.
    func collides(with other: InterfaceRoute) -> Bool {
        place == other.place
    }
}

extension InterfaceRoute: CustomStringConvertible {
    /// The route in the words of ip-route(8).
    package var description: String {
        "\(destination)" + (gateway.map { " via \($0)" } ?? "") + (metric.map { " metric \($0)" } ?? "")
    }
}
