internal import CleatSettings

extension InterfaceSettings {
    /// The routes in the order in which they are added: those without a gateway first, as they may reach other
    /// gateways.
    ///
    /// The default route is one of them if it has a metric.
    var routesInOrder: [InterfaceRoute] {
        let routes = (ip.metric == nil ? [] : [defaultRoute].compactMap(\.self)) + (ip.routes ?? [])
        return routes.filter { $0.gateway == nil } + routes.filter { $0.gateway != nil }
    }

    /// The default route through the gateway; nil if no gateway is set.
    private var defaultRoute: InterfaceRoute? {
        ip.gateway.map { InterfaceRoute(Self.everywhere(like: $0), gateway: $0, metric: ip.metric) }
    }

    private static func everywhere(like address: InternetAddress) -> InterfaceAddress {
        InterfaceAddress(address, prefix: 0).network
    }

    /// Returns true if an address or a direct route reaches a router; nil if not all addresses are known.
    private func reaches(_ gateway: InternetAddress) -> Bool? {
        if gateway.isLinkLocal { return true }
        guard let addresses = ip.addresses, ip.dhcp == false || (ip.dhcp == nil && !addresses.isEmpty) else {
            return nil
        }
        if addresses.contains(where: { $0.address == gateway }) { return false }
        return addresses.contains { $0.reaches(gateway) }
            || (ip.routes ?? []).contains { $0.gateway == nil && $0.destination.reaches(gateway) }
    }

    /// Refuses invalid routes of one interface, for any network service.
    func checkRoutes(_ desired: inout DesiredState) {
        let path = self.path("routes")
        for (index, route) in (ip.routes ?? []).enumerated() {
            let destination = route.destination
            let network = destination.network
            if network != destination {
                desired.refuse(
                    path, "has the destination \(destination), an address in a network; the network is \(network)")
                continue
            }
            if let gateway = route.gateway {
                if gateway.bits != destination.address.bits {
                    desired.refuse(
                        path,
                        "has \(destination) by \(gateway), which is of the other family; use a gateway of the same one"
                    )
                    continue
                }
                if reaches(gateway) == false {
                    desired.refuse(
                        path,
                        "has \(destination) by \(gateway), which none of \(name)'s addresses reaches; set an address in "
                            + "the gateway's network, or a route to it that has no gateway")
                }
            }
            let others = (ip.routes ?? []).prefix(index) + [defaultRoute].compactMap(\.self)
            if let other = others.first(where: { $0.collides(with: route) }) {
                desired.refuse(
                    path,
                    other == defaultRoute
                        ? "has a route to \(destination) next to the gateway \(ip.gateway.map(\.description) ?? ""), both with "
                            + "the same metric; unset one of the two, or give the route another metric"
                        : "has two routes to \(destination) with the same metric; remove one, or give it another metric"
                )
            }
            if let address = ip.addresses?.first(where: { $0.isConnected(route) }) {
                desired.refuse(
                    path,
                    "has a route to \(destination), which the address \(address) reaches by itself; remove the route, or "
                        + "give it a metric")
            }
        }
    }

    /// Refuses routes of several interfaces if a table can hold only one of them.
    static func checkRoutes(of interfaces: [InterfaceSettings], _ desired: inout DesiredState) {
        // The first route and the first gateway with each key; each of a few thousand routes is compared with these two
        // only.
        var seen: [InterfaceRoute.Place: (route: String?, gateway: String?)] = [:]
        for interface in interfaces where interface.enabled != false {
            var own: [(route: InterfaceRoute, interface: String, isGateway: Bool)] = []
            if let route = interface.defaultRoute { own.append((route, interface.name, true)) }
            own += (interface.ip.routes ?? []).map { ($0, interface.name, false) }
            for item in own {
                // Two gateways are left to the adapter to validate.
                let others = seen[item.route.place]
                let isUnranked = item.isGateway && interface.ip.metric == nil
                guard let other = others?.route ?? (isUnranked ? nil : others?.gateway) else { continue }
                let place = item.isGateway ? interface.path("gateway") : interface.path("routes")
                desired.refuse(
                    place,
                    "leads to \(item.route.destination) with the same metric as a route of \(other); remove one of "
                        + "the two, or give one another metric")
            }
            for item in own {
                var others = seen[item.route.place] ?? (nil, nil)
                if item.isGateway {
                    others.gateway = others.gateway ?? item.interface
                } else {
                    others.route = others.route ?? item.interface
                }
                seen[item.route.place] = others
            }
        }
    }

    /// Returns the changes of routes, as ends of sentences that begin with “will”.
    static func routeEffects(_ name: String, from old: InterfaceSettings?, to new: InterfaceSettings?) -> [String] {
        func routes(_ settings: InterfaceSettings?) -> [InterfaceRoute] {
            guard let settings, settings.enabled != false else { return [] }
            return [settings.defaultRoute].compactMap(\.self) + (settings.ip.routes ?? [])
        }
        let (before, after) = (routes(old), routes(new))
        return before.filter { !after.contains($0) }.map { "\(name) no longer sends \($0.sending)" }
            + after.filter { !before.contains($0) }.map { "\(name) sends \($0.sending)" }
    }
}

extension InterfaceAddress {
    /// Returns true if the kernel adds the route itself with this address: an IPv4 route with metric 0 to its network.
    fileprivate func isConnected(_ route: InterfaceRoute) -> Bool {
        address.bits == 32 && prefix < 32 && route.effectiveMetric == 0 && route.destination == network
    }
}

extension InterfaceRoute {
    /// The destination, gateway and metric as text for users.
    fileprivate var sending: String {
        let what = destination.prefix == 0 ? "all other traffic" : "\(destination)"
        return what + (gateway.map { " by \($0)" } ?? " on the link") + (metric.map { ", metric \($0)" } ?? "")
    }
}
