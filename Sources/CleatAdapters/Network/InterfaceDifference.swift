package import CleatJSON
package import CleatSettings

/// One difference between an interface and its desired state, caused by an outside edit.
package struct InterfaceDifference: Equatable, Sendable {
    /// The way to adopt the difference.
    package enum Adoption: Equatable, Sendable {
        /// The difference can be adopted as this value of the setting.
        case value(JSONValue)
        /// The difference cannot be adopted; the reason is a sentence that continues after the interface's name.
        case impossible(String)
    }

    /// The difference: a sentence that continues after the interface's name.
    package let words: String
    /// The setting that differs; nil if it has no path.
    package let setting: SettingPath?
    /// The way to adopt the difference.
    package let adoption: Adoption
}

extension InterfaceState {
    /// Compares the interface with the desired state; unset parts are not compared.
    ///
    /// - Parameters:
    ///   - interface: the interface's name.
    ///   - present: the present state.
    /// - Returns: the differences; empty if there are none.
    func differences(of interface: String, in present: InterfaceSnapshot) -> [InterfaceDifference] {
        let target = target(of: interface, over: present, after: nil, origin: nil)
        var found: [InterfaceDifference] = []
        func report(_ words: [String], _ key: String, _ adoption: InterfaceDifference.Adoption) {
            let setting = InterfaceState.path(interface, key)
            guard !words.isEmpty else { return }
            found.append(
                InterfaceDifference(words: words.joined(separator: ", "), setting: setting, adoption: adoption))
        }
        if target.isUp != present.isUp {
            report(["is switched \(present.isUp ? "on" : "off")"], "enabled", .value(.bool(present.isUp)))
        }
        if target.mtu != present.mtu {
            report(
                ["has the MTU \(present.mtu) instead of \(target.mtu)"], "mtu", .value(.integer(Int64(present.mtu))))
        }
        // An interface that is switched off has no routes, and not all of its addresses.
        guard target.isUp, present.isUp else { return found }
        report(addressWords(target, present), "addresses", Self.adopted(present.addresses))
        let defaults = target.routes.filter { isGateways($0) } + present.routes.filter { isGateways($0) }
        report(Self.routeWords(target, present) { defaults.contains($0) }, "gateway", adoptedGateway(present))
        report(Self.routeWords(target, present) { !defaults.contains($0) }, "routes", adoptedRoutes(present))
        return found
    }

    private func addressWords(_ target: InterfaceSnapshot, _ present: InterfaceSnapshot) -> [String] {
        let lost = target.addresses.filter { !present.addresses.contains($0) }
        let more = present.addresses.filter { !target.addresses.contains($0) }
        return lost.map { "lacks the address \($0.address?.description ?? "")" }
            + more.map { "also has the address \($0.address?.description ?? "")" }
    }

    private static func routeWords(
        _ target: InterfaceSnapshot, _ present: InterfaceSnapshot, _ isMeant: (KernelRoute) -> Bool
    ) -> [String] {
        let lost = target.routes.filter { !present.routes.contains($0) && isMeant($0) }
        let more = present.routes.filter { !target.routes.contains($0) && isMeant($0) }
        return lost.map { "lacks the route \($0.text)" } + more.map { "has the route \($0.text) instead" }
    }

    /// Returns true if a route belongs to the setting `gateway`, and not to `routes`.
    private func isGateways(_ route: KernelRoute) -> Bool {
        guard let gateway, route.isDefault, route.family == gateway.family else { return false }
        return !routes.contains { KernelRoute($0).collides(with: route) }
    }

    private static func adopted(_ addresses: [KernelAddress]) -> InterfaceDifference.Adoption {
        var values: [JSONValue] = []
        for address in addresses {
            guard address.isPlain, let text = address.address?.description else {
                return .impossible("has an address with a limited lifetime, which settings cannot express")
            }
            values.append(.string(text))
        }
        return .value(.array(values))
    }

    private func adoptedGateway(_ present: InterfaceSnapshot) -> InterfaceDifference.Adoption {
        let defaults = present.routes.filter { isGateways($0) }
        guard defaults.count == 1, let gateway = defaults[0].gateway else {
            return .impossible(
                defaults.isEmpty
                    ? "has no gateway any more; unset the setting to keep that"
                    : "has several gateways, of which the setting can express only one")
        }
        return .value(.string("\(gateway)"))
    }

    private func adoptedRoutes(_ present: InterfaceSnapshot) -> InterfaceDifference.Adoption {
        var values: [JSONValue] = []
        for route in routes {
            let ours = KernelRoute(route)
            // It may be that of the settings “gateway” and “metric”.
            if route.destination.prefix == 0,
                !present.routes.contains(where: { $0.collides(with: ours) && $0.leads(as: ours) })
            {
                return .impossible("lacks a default route as set; set gateway and metric, or routes, as you want them")
            }
            guard let there = present.routes.first(where: { $0.collides(with: ours) }) else { continue }
            guard there.type == ours.type, there.hasGateway == (there.gateway != nil) else {
                return .impossible("has a route to \(route.destination) of a kind that settings cannot express")
            }
            values.append(
                InterfaceRoute(route.destination, gateway: there.gateway, metric: route.metric).value)
        }
        return .value(.array(values))
    }
}
