package import CleatSettings

/// The way by which the board's packets go to one address, as far as settings and addresses say.
package struct ReturnPath: Hashable, Sendable {
    /// The interface that they leave by.
    package let interface: String
    /// The router that they are sent to; nil where the address is on the link.
    package let gateway: InternetAddress?

    /// Finds it: the longest prefix that holds the address, of those the least metric.
    ///
    /// - Parameters:
    ///   - address: where to.
    ///   - settings: the settings in force.
    ///   - present: the addresses that interfaces have now, which count where none are set.
    /// - Returns: nil where neither tells: the system may have routes of its own.
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
        for (name, addresses) in present.sorted(by: { $0.key < $1.key }) {
            let interface = set.first { $0.name == name }
            guard interface?.enabled != false else { continue }
            let fixed = interface?.usesDHCP == false ? interface?.addresses : nil
            for network in fixed ?? addresses { offer(name, network, nil, 0) }
        }
        for interface in set where interface.enabled != false {
            for route in interface.routes ?? [] {
                offer(interface.name, route.destination, route.gateway, route.effectiveMetric)
            }
            guard let gateway = interface.gateway else { continue }
            offer(interface.name, InterfaceAddress(gateway, prefix: 0), gateway, 0)
        }
        return best?.path
    }
}

extension ReturnPath: CustomStringConvertible {
    /// The way, for people.
    package var description: String { (gateway.map { "by \($0) " } ?? "") + "through \(interface)" }
}
