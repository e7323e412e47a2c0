package import CleatSettings

/// Says what an interface shall be; what is nil is left as it is.
package struct InterfaceState: Hashable, Sendable {
    /// Whether it is switched on.
    package var isUp: Bool?
    /// The largest packet in bytes.
    package var mtu: UInt32?
    /// All addresses that it has, without those that the kernel makes itself.
    package var addresses: [InterfaceAddress]?
    /// The router of its default route.
    package var gateway: InternetAddress?
    /// Routes that it has besides, those without a gateway first; routes of others are left alone.
    package var routes: [InterfaceRoute]
    /// Addresses that it had before, and keeps behind its new ones while the change is on trial.
    package var kept: [InterfaceAddress]

    /// Takes all of it.
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

    /// Whether something that the other state says is not said here any more, so that it comes back as it was before.
    func letsGo(of other: InterfaceState?) -> Bool {
        guard let other else { return false }
        return (isUp == nil && other.isUp != nil) || (mtu == nil && other.mtu != nil)
            || (addresses == nil && other.addresses != nil) || (gateway == nil && other.gateway != nil)
            || other.routes.contains { route in !routes.contains { $0.collides(with: route) } }
    }

    /// What the interface is once this holds.
    ///
    /// - Parameters:
    ///   - interface: its name.
    ///   - present: what it is now.
    ///   - former: what it was to be before.
    ///   - origin: what it was before Cleat touched it, where that is known: what is let go comes back from there.
    /// - Returns: what it is then.
    func target(
        of interface: String, over present: InterfaceSnapshot, after former: InterfaceState?,
        origin: InterfaceSnapshot?
    ) -> InterfaceSnapshot {
        var target = present
        target.isUp = isUp ?? (former?.isUp == nil ? nil : origin?.isUp) ?? present.isUp
        target.mtu = mtu ?? (former?.mtu == nil ? nil : origin?.mtu) ?? present.mtu
        // An interface that shall be off keeps the addresses that it has, as far as the kernel lets it.
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
        // What Cleat's routes have replaced comes back with them gone.
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

    /// Which routes of its target are said here, and so have to be there.
    func isSaid(_ route: KernelRoute) -> Bool {
        if let gateway, route.isDefault, route.gateway == gateway { return true }
        return routes.contains { KernelRoute($0).collides(with: route) }
    }

    /// Says what an interface lacks of what is said here, as ends of sentences that begin with its name; what it has besides
    /// does not matter.
    func missing(of interface: String, in present: InterfaceSnapshot) -> [String] {
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
            if present.routes.contains(where: { $0.collides(with: wanted) && $0.leads(as: wanted) }) { continue }
            words.append("lacks the route \(wanted.text)")
        }
        return words
    }

    /// What is said where the default route is not there.
    var lackOfGateway: String { "lacks the default route by \(gateway?.description ?? "none")" }
}
