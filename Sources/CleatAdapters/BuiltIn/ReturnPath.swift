import CleatOrder
package import CleatSettings

/// The route of the board's packets to one address, as far as settings and addresses show it.
package struct ReturnPath: Equatable, Sendable {
    /// The outgoing interface.
    package let interface: String
    /// The gateway; nil if the address is on the link.
    package let gateway: InternetAddress?

    /// Finds the route with the longest prefix that contains the address, and of those the least metric.
    ///
    /// - Parameters:
    ///   - address: the destination.
    ///   - settings: the settings in force.
    ///   - present: the present addresses of interfaces, used if no fixed ones are set.
    /// - Returns: the route; nil if neither shows one, as the system may have other routes.
    package static func find(
        to address: InternetAddress, by settings: LayeredSettings, present: [String: [InterfaceAddress]]
    ) -> ReturnPath? {
        var best: (path: ReturnPath, prefix: UInt8, metric: UInt32)?
        func offer(_ name: String, _ network: InterfaceAddress, _ gateway: InternetAddress?, _ metric: UInt32) {
            guard network.reaches(address) else { return }
            if let best, (best.prefix, UInt32.max - best.metric) >= (network.prefix, UInt32.max - metric) { return }
            best = (ReturnPath(interface: name, gateway: gateway), network.prefix, metric)
        }
        let set = InterfaceSettings.all(in: settings)
        for (name, addresses) in present.ordered(by: { $0.key < $1.key }) {
            let interface = set.first { $0.name == name }
            guard interface?.enabled != false else { continue }
            let fixed = interface?.usesDHCP == false ? interface?.ip.addresses : nil
            for network in fixed ?? addresses { offer(name, network, nil, 0) }
        }
        for interface in set where interface.enabled != false {
            for route in interface.ip.routes ?? [] {
                offer(interface.name, route.destination, route.gateway, route.effectiveMetric)
            }
            guard let gateway = interface.ip.gateway else { continue }
            offer(interface.name, InterfaceAddress(gateway, prefix: 0), gateway, 0)
        }
        return best?.path
    }
}

extension ReturnPath: CustomStringConvertible {
    /// The route as text for users.
    package var description: String { (gateway.map { "by \($0) " } ?? "") + "through \(interface)" }
}
