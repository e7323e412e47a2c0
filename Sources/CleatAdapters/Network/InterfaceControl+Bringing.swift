internal import SystemPackage

extension InterfaceControl {
    /// Makes the interface what it shall be, with as few requests as it takes; it may be done again after a failure.
    ///
    /// What is there and stays is not touched, and what is new is there before something old goes.
    ///
    /// - Parameters:
    ///   - target: what it shall be.
    ///   - found: what it is.
    ///   - isExact: whether it comes back as it was captured, so that the order of its addresses counts and every route has
    ///     to come back; where a change is applied, a route whose gateway cannot be reached any more goes with the address
    ///     that reached it.
    ///   - isRequired: which routes have to be there in any case.
    /// - Throws: the request that failed; it may be neither as it was nor as it shall be then.
    func bring(
        to target: InterfaceSnapshot, from found: Found, isExact: Bool,
        isRequired: (KernelRoute) -> Bool = { _ in true }
    ) throws(ResourceError) {
        let index = found.index
        if target.mtu != found.snapshot.mtu { try set(mtu: target.mtu, index) }
        if target.isUp != found.snapshot.isUp { try set(isUp: target.isUp, index) }
        try bringAddresses(to: target.addresses, index)
        if isExact { try bringOrder(of: target.addresses, index) }
        // Without being switched on, it has no routes.
        if target.isUp { try bringRoutes(to: target.routes, index, isExact: isExact, isRequired) }
    }

    private func bringAddresses(to wanted: [KernelAddress], _ index: UInt32) throws(ResourceError) {
        let present = try addresses(index)
        for address in present where wanted.contains(where: { $0.isSame(as: address) && !$0.matches(address) }) {
            try remove(address, index)
        }
        try addMissing(wanted, index)
        for address in present where !wanted.contains(where: { $0.isSame(as: address) }) { try remove(address, index) }
        // With the first address of a network those that came after it have gone, too.
        try addMissing(wanted, index)
    }

    private func addMissing(_ wanted: [KernelAddress], _ index: UInt32) throws(ResourceError) {
        let present = try addresses(index)
        for address in Self.inOrderOfMaking(wanted) where !present.contains(where: { $0.isSame(as: address) }) {
            try add(address, index)
        }
    }

    /// The kernel lists addresses of IPv6 with the newest first.
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
            // One that a DHCP client has made meanwhile stays, unless it is in the way.
            if isExact, route.isByDHCP, !wanted.contains(where: { $0.collides(with: route) }) { continue }
            try remove(route, index)
        }
        var missing = wanted.filter { !present.contains($0) }
        // A gateway can be reached by another route only, which comes first then.
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
                // A route outlives the address by which its gateway was reached, but is not taken anew without it unless
                // it says that the gateway is on the link: packets go the same way then.
                if isExact, let other = route.onLink, try add(other, index) == nil { continue }
                throw error("have the route \(route.text)", refusal)
            }
            return
        }
    }
}
