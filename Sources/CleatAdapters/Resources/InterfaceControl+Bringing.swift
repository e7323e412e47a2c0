internal import SystemPackage

extension InterfaceControl {
    /// Brings the interface to a target state with as few requests as possible; it may be repeated after a failure.
    ///
    /// Unchanged parts are not touched, and new ones are added before old ones are removed.
    ///
    /// - Parameters:
    ///   - target: the state to reach.
    ///   - found: the present state.
    ///   - isExact: true to restore a captured state, with the order of its addresses and every route. If it is false,
    ///     a change is applied, and a route whose gateway is no longer reachable is dropped with the address that
    ///     reached it.
    ///   - isRequired: returns true for routes that must exist in any case.
    /// - Throws: the failed request; the interface may then be in neither state.
    func bring(
        to target: InterfaceSnapshot, from found: Found, isExact: Bool,
        isRequired: (KernelRoute) -> Bool = { _ in true }
    ) throws(ResourceError) {
        let index = found.index
        if target.mtu != found.snapshot.mtu { try set(mtu: target.mtu, index) }
        if target.isUp != found.snapshot.isUp { try set(isUp: target.isUp, index) }
        try bringAddresses(to: target.addresses, index)
        if isExact { try bringOrder(of: target.addresses, index) }
        // An interface that is switched off has no routes.
        if target.isUp { try bringRoutes(to: target.routes, index, isExact: isExact, isRequired) }
    }

    private func bringAddresses(to wanted: [KernelAddress], _ index: UInt32) throws(ResourceError) {
        let present = try addresses(index)
        for address in present where wanted.contains(where: { $0.isSame(as: address) && !$0.matches(address) }) {
            try remove(address, index)
        }
        try addMissing(wanted, index)
        for address in present where !wanted.contains(where: { $0.isSame(as: address) }) { try remove(address, index) }
        // Removing the first address of a network has removed the secondary ones, too.
        try addMissing(wanted, index)
    }

    private func addMissing(_ wanted: [KernelAddress], _ index: UInt32) throws(ResourceError) {
        let present = try addresses(index)
        for address in Self.inOrderOfMaking(wanted) where !present.contains(where: { $0.isSame(as: address) }) {
            try add(address, index)
        }
    }

    /// Returns addresses in the order in which they are added: the kernel lists the newest IPv6 address first.
    private static func inOrderOfMaking(_ addresses: [KernelAddress]) -> [KernelAddress] {
        addresses.filter { $0.family == 2 } + addresses.filter { $0.family != 2 }.reversed()
    }

    private func bringOrder(of wanted: [KernelAddress], _ index: UInt32) throws(ResourceError) {
        let present = try addresses(index)
        for family: UInt8 in [2, 10] {
            let shall = wanted.filter { $0.family == family }
            let are = present.filter { $0.family == family }
            if shall.count == are.count, zip(shall, are).allSatisfy({ $0.isSame(as: $1) }) { continue }
            for address in are.reversed() { try remove(address, index) }
            for address in Self.inOrderOfMaking(shall) { try add(address, index) }
        }
    }

    private func bringRoutes(
        to wanted: [KernelRoute], _ index: UInt32, isExact: Bool, _ isRequired: (KernelRoute) -> Bool
    ) throws(ResourceError) {
        let present = try routes(index)
        for route in present where !wanted.contains(route) {
            // A route that a DHCP client added in the meantime is kept, unless it collides.
            if isExact, route.isByDHCP, !wanted.contains(where: { $0.collides(with: route) }) { continue }
            try remove(route, index)
        }
        var missing = wanted.filter { !present.contains($0) }
        // Routes without a gateway come first, since they may make a gateway reachable.
        missing = missing.filter { !$0.hasGateway } + missing.filter(\.hasGateway)
        while !missing.isEmpty {
            var refused: [(route: KernelRoute, refusal: RouteRefusal)] = []
            for route in missing {
                guard let refusal = try add(route, index) else { continue }
                refused.append((route, refusal))
            }
            guard refused.count == missing.count else {
                missing = refused.map(\.route)
                continue
            }
            for (route, refusal) in refused where isExact || isRequired(route) {
                // A route outlives the address that reached its gateway, but cannot be added again without it. With the
                // onlink flag it can, and packets then take the same path.
                if isExact, let other = route.onLink, try add(other, index) == nil { continue }
                throw error("add the route \(route.text)", refusal)
            }
            return
        }
    }
}
