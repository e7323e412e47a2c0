package import CleatJSON
package import CleatSettings

/// A static route of an interface, as a setting has it.
package struct InterfaceRoute: Hashable, Sendable {
    /// The network that it leads to.
    package let destination: InterfaceAddress
    /// The router that packets are sent to; nil where the network is on the link itself.
    package let gateway: InternetAddress?
    /// What it counts against other routes to the same network; nil for the kernel's own.
    package let metric: UInt32?

    /// Takes all of it.
    package init(_ destination: InterfaceAddress, gateway: InternetAddress? = nil, metric: UInt32? = nil) {
        self.destination = destination
        self.gateway = gateway
        self.metric = metric
    }

    /// Reads an element of the setting; nil where it is none.
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

    /// What the kernel takes the metric for: no two routes of a table have the same one to the same network.
    var effectiveMetric: UInt32 { metric ?? Self.standardMetric(isIPv6: destination.address.bits == 128) }

    /// The metric of routes that name none (`IP6_RT_PRIO_USER`).
    static func standardMetric(isIPv6: Bool) -> UInt32 { isIPv6 ? 1024 : 0 }

    /// Where a table has room for one route: a network, and a metric.
    struct Place: Hashable {
        let destination: InterfaceAddress
        let metric: UInt32
    }

    /// Its place in a table.
    var place: Place { Place(destination: destination, metric: effectiveMetric) }

    /// Whether both lead to one network with one metric, so that there can be only one of them.
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
