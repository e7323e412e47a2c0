package import CleatSettings

/// The desired state of an interface; parts that are nil are unmanaged.
package struct InterfaceState: Equatable, Sendable {
    /// True if the interface is to be switched on, false if off.
    package var isUp: Bool?
    /// The MTU in bytes.
    package var mtu: UInt32?
    /// All addresses of the interface, without those that the kernel adds itself.
    package var addresses: [InterfaceAddress]?
    /// The gateway of the default route.
    package var gateway: InternetAddress?
    /// Additional routes, those without a gateway first; other routes on the interface are not changed.
    package var routes: [InterfaceRoute]
    /// The former addresses, kept after the new ones while the change is on trial.
    package var kept: [InterfaceAddress]

    /// The path of the settings of all interfaces.
    static let path = BuiltIn.path("network/interfaces")

    /// Returns the path of a setting of an interface, by its key: `mtu`, `vlan/id`.
    static func path(_ name: String, _ key: String) -> SettingPath? {
        key.split(separator: "/").reduce(try? path.appending(name)) { try? $0?.appending(String($1)) }
    }

    /// Creates a state.
    package init(
        isUp: Bool? = nil, mtu: UInt32? = nil, addresses: [InterfaceAddress]? = nil, gateway: InternetAddress? = nil,
        routes: [InterfaceRoute] = [], kept: [InterfaceAddress] = []
    ) {
        self.isUp = isUp
        self.mtu = mtu
        self.addresses = addresses
        self.gateway = gateway
        self.routes = routes
        self.kept = kept
    }

    /// Returns true if the other state sets something that this one no longer does, so that its origin is restored.
    func letsGo(of other: InterfaceState?) -> Bool {
        guard let other else { return false }
        return (isUp == nil && other.isUp != nil) || (mtu == nil && other.mtu != nil)
            || (addresses == nil && other.addresses != nil) || (gateway == nil && other.gateway != nil)
            || other.routes.contains { route in !routes.contains { $0.collides(with: route) } }
    }

    /// Returns the state of the interface after this one is applied.
    ///
    /// - Parameters:
    ///   - interface: the interface's name.
    ///   - present: the present state.
    ///   - former: the former desired state.
    ///   - origin: the state before Cleat changed it, if it is known; released parts are restored from it.
    /// - Returns: the resulting state.
    func target(
        of interface: String, over present: InterfaceSnapshot, after former: InterfaceState?,
        origin: InterfaceSnapshot?
    ) -> InterfaceSnapshot {
        var target = present
        target.isUp = isUp ?? (former?.isUp == nil ? nil : origin?.isUp) ?? present.isUp
        target.mtu = mtu ?? (former?.mtu == nil ? nil : origin?.mtu) ?? present.mtu
        // An interface that is switched off keeps its present addresses, as far as the kernel allows it.
        guard isUp != false else { return target }
        if let addresses {
            target.addresses = addresses.map { address in
                let wanted = KernelAddress(address, of: interface)
                return present.addresses.first { $0.isSame(as: wanted) && $0.isPlain } ?? wanted
            }
        } else if former?.addresses != nil, let origin {
            target.addresses = origin.addresses
        }
        for address in kept {
            let wanted = KernelAddress(address, of: interface)
            if target.addresses.contains(where: { $0.isSame(as: wanted) }) { continue }
            target.addresses.append(present.addresses.first { $0.isSame(as: wanted) } ?? wanted)
        }
        // Routes that Cleat's own had replaced are restored once those are removed.
        for route in former?.routes ?? [] where !routes.contains(where: { $0.collides(with: route) }) {
            let ours = KernelRoute(route)
            target.routes.removeAll { $0.collides(with: ours) }
            target.routes += origin?.routes.filter { $0.collides(with: ours) } ?? []
        }
        if let gateway {
            target.routes.removeAll { $0.isDefault && $0.family == gateway.family && $0.gateway != gateway }
            if !target.routes.contains(where: { $0.isDefault && $0.gateway == gateway }) {
                target.routes.append(KernelRoute(defaultThrough: gateway))
            }
        } else if former?.gateway != nil, let origin {
            target.routes.removeAll(where: \.isDefault)
            target.routes += origin.routes.filter(\.isDefault)
        }
        for route in routes {
            let wanted = KernelRoute(route)
            target.routes.removeAll { $0.collides(with: wanted) }
            target.routes.append(present.routes.first { $0.collides(with: wanted) && $0.leads(as: wanted) } ?? wanted)
        }
        return target
    }

    /// Returns true if a route of the target is set here, and so must exist.
    func isSaid(_ route: KernelRoute) -> Bool {
        if let gateway, route.isDefault, route.gateway == gateway { return true }
        return routes.contains { KernelRoute($0).collides(with: route) }
    }

    /// Returns the parts of this state that an interface lacks, as ends of sentences that begin with its name.
    ///
    /// Anything else that the interface has is ignored, and the metric of a route without one if it may be any.
    func missing(of interface: String, in present: InterfaceSnapshot, anyMetric: Bool = false) -> [String] {
        if let isUp, present.isUp != isUp { return ["is switched \(present.isUp ? "on" : "off")"] }
        guard isUp != false else { return [] }
        var words: [String] = []
        if let mtu, present.mtu != mtu { words.append("has the MTU \(present.mtu) instead of \(mtu)") }
        for address in addresses ?? [] {
            let wanted = KernelAddress(address, of: interface)
            if !wanted.isManaged || present.addresses.contains(where: { $0.isSame(as: wanted) }) { continue }
            words.append("lacks the address \(address)")
        }
        if let gateway, !present.routes.contains(where: { $0.isDefault && $0.gateway == gateway }) {
            words.append(lackOfGateway)
        }
        for route in routes {
            let wanted = KernelRoute(route)
            let isAny = anyMetric && route.metric == nil
            if present.routes.contains(where: {
                (isAny ? $0.hasDestination(of: wanted) : $0.collides(with: wanted)) && $0.leads(as: wanted)
            }) {
                continue
            }
            words.append("lacks the route \(wanted.text)")
        }
        return words
    }

    /// The message for a missing default route.
    var lackOfGateway: String { "lacks the default route by \(gateway?.description ?? "none")" }
}
