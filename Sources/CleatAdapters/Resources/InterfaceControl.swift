internal import CleatSettings
internal import SystemPackage

/// Reads and changes one interface, request by request (rtnetlink(7)).
struct InterfaceControl {
    /// `IFF_UP`.
    private static let up: UInt32 = 1

    let kernel: any KernelCalls
    let name: String
    /// The stage that errors name.
    let stage: ResourceError.Stage

    /// An interface's state with its present index in the kernel.
    struct Found {
        let index: UInt32
        var snapshot: InterfaceSnapshot
    }

    var resource: Resource { .interface(name) }

    /// Returns the interface's present state; nil if there is no such interface.
    func look() throws(ResourceError) -> Found? {
        guard let (index, isUp, mtu) = try link() else { return nil }
        let snapshot = InterfaceSnapshot(
            isUp: isUp, mtu: mtu, addresses: try addresses(index), routes: try routes(index))
        for (count, what) in [(snapshot.addresses.count, "addresses"), (snapshot.routes.count, "routes")]
        where count > InterfaceSnapshot.limit {
            throw ResourceError(
                stage, resource, reason: "it has \(count) \(what), and at most \(InterfaceSnapshot.limit) can be kept")
        }
        return Found(index: index, snapshot: snapshot)
    }

    private func link() throws(ResourceError) -> (index: UInt32, isUp: Bool, mtu: UInt32)? {
        // struct ifinfomsg, all zero, and IFLA_IFNAME.
        let request = RouteRequest(
            .getLink, body: [UInt8](repeating: 0, count: 16),
            attributes: [RouteAttribute(3, Array(name.utf8) + [0])])
        var found: (UInt32, Bool, UInt32)?
        let refusal = try asked("read it") { () throws(Errno) in
            try kernel.exchange(request, again: { found = nil }) { object in
                guard let index = NativeBytes.number(UInt32.self, in: object, at: 4),
                    let flags = NativeBytes.number(UInt32.self, in: object, at: 8),
                    let mtu = RouteAttribute.list(in: object.dropFirst(16)).number(4)
                else { return }
                found = (index, flags & Self.up != 0, mtu)
            }
        }
        if let refusal {
            guard refusal.errno == Self.noSuchDevice else { throw error("read it", refusal) }
            return nil
        }
        guard let found else {
            throw ResourceError(stage, resource, reason: "the kernel described it without its number or its MTU")
        }
        return found
    }

    /// `ENODEV`.
    static let noSuchDevice = Errno(rawValue: 19)

    /// Returns the addresses, without those that the kernel adds itself.
    func addresses(_ index: UInt32) throws(ResourceError) -> [KernelAddress] {
        var found: [KernelAddress] = []
        let request = RouteRequest(.getAddresses, body: [UInt8](repeating: 0, count: 8), isDump: true)
        try list(request, "read its addresses", again: { found = [] }) { object in
            if found.count <= InterfaceSnapshot.limit, let address = KernelAddress(object, of: index) {
                found.append(address)
            }
        }
        return found
    }

    /// Returns the routes through the interface.
    func routes(_ index: UInt32) throws(ResourceError) -> [KernelRoute] {
        var found: [KernelRoute] = []
        let request = RouteRequest(.getRoutes, body: [UInt8](repeating: 0, count: 12), isDump: true)
        try list(request, "read its routes", again: { found = [] }) { object in
            if found.count <= InterfaceSnapshot.limit, let route = KernelRoute(object, through: index) {
                found.append(route)
            }
        }
        return found
    }

    /// Returns the gateways of all IPv6 default routes through the interface, of any origin.
    func gateways(_ index: UInt32) throws(ResourceError) -> Set<InternetAddress> {
        var found: Set<InternetAddress> = []
        let request = RouteRequest(.getRoutes, body: [UInt8](repeating: 0, count: 12), isDump: true)
        try list(request, "read its routes", again: { found = [] }) { object in
            found.formUnion(KernelRoute.gateways(ofDefault: object, through: index))
        }
        return found
    }

    /// Sets the MTU.
    func set(mtu: UInt32, _ index: UInt32) throws(ResourceError) {
        try ask("set the MTU to \(mtu)", link(index, attributes: [RouteAttribute(4, NativeBytes.bytes(mtu))]))
    }

    /// Switches the interface on or off.
    func set(isUp: Bool, _ index: UInt32) throws(ResourceError) {
        try ask(isUp ? "switch it on" : "switch it off", link(index, flags: isUp ? Self.up : 0, change: Self.up))
    }

    private func link(
        _ index: UInt32, flags: UInt32 = 0, change: UInt32 = 0, attributes: [RouteAttribute] = []
    ) -> RouteRequest {
        var body: [UInt8] = [0, 0, 0, 0]
        for number in [index, flags, change] { body += NativeBytes.bytes(number) }
        return RouteRequest(.setLink, body: body, attributes: attributes)
    }

    /// Adds an address; succeeds if it is already there.
    func add(_ address: KernelAddress, _ index: UInt32) throws(ResourceError) {
        try ask(
            "add the address \(text(address))", address.request(.addAddress, interface: index),
            besides: [.fileExists])
    }

    /// Removes an address; succeeds if it is already gone, as the secondary addresses of a network go with the primary
    /// one.
    func remove(_ address: KernelAddress, _ index: UInt32) throws(ResourceError) {
        try ask(
            "remove the address \(text(address))", address.request(.removeAddress, interface: index),
            besides: [.addressNotAvailable])
    }

    private func text(_ address: KernelAddress) -> String { address.address?.description ?? "of an unknown form" }

    /// Adds a route; returns the kernel's refusal, or nil if it accepted the route.
    func add(_ route: KernelRoute, _ index: UInt32) throws(ResourceError) -> RouteRefusal? {
        try refusal("add the route \(route.text)", route.request(.addRoute, interface: index))
    }

    /// Removes a route; succeeds if it is already gone.
    func remove(_ route: KernelRoute, _ index: UInt32) throws(ResourceError) {
        try ask(
            "remove the route \(route.text)", route.request(.removeRoute, interface: index), besides: [.noSuchProcess])
    }

    /// Reads a list of the kernel.
    func list(
        _ request: RouteRequest, _ what: String, again: () -> Void, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(ResourceError) {
        let refusal = try asked(what) { () throws(Errno) in try kernel.exchange(request, again: again, each) }
        if let refusal { throw error(what, refusal) }
    }

    func ask(
        _ what: String, _ request: RouteRequest, besides harmless: [Errno] = []
    ) throws(ResourceError) {
        if let refusal = try refusal(what, request), !harmless.contains(refusal.errno) { throw error(what, refusal) }
    }

    /// Sends a request; returns the kernel's refusal, or nil if it accepted the request.
    func refusal(_ what: String, _ request: RouteRequest) throws(ResourceError) -> RouteRefusal? {
        try asked(what) { () throws(Errno) in try kernel.exchange(request, again: {}, { _ in }) }
    }

    private func asked(
        _ what: String, _ body: () throws(Errno) -> RouteRefusal?
    ) throws(ResourceError) -> RouteRefusal? {
        do throws(Errno) {
            return try body()
        } catch {
            let remedy =
                switch error {
                case .timedOut: "the kernel did not answer; find what blocks the driver, and try again"
                case .addressFamilyNotSupported, .protocolNotSupported:
                    "this kernel has no rtnetlink; use one with CONFIG_NET"
                case .resourceTemporarilyUnavailable:
                    "it changes all the time; find the program that changes it, and try again"
                default: "the request could not be sent to the kernel; try again"
                }
            throw ResourceError(stage, resource, errno: error, reason: "could not \(what): \(remedy) (\(error))")
        }
    }

    /// Returns the error for a refusal by the kernel, with the remedy.
    func error(_ what: String, _ refusal: RouteRefusal) -> ResourceError {
        let said = refusal.text.map { "“\($0)”, " } ?? ""
        let remedy =
            switch refusal.errno {
            case .notPermitted: "the system does not allow it; \(MissingRight.remedy())"
            case .permissionDenied: "IPv6 is switched off on it; set net.ipv6.conf.\(name).disable_ipv6 to 0"
            case .notSupported: "this kernel does not support it"
            case .networkUnreachable, .noRouteToHost:
                "no address of it reaches the gateway; set one in the gateway's network"
            case .fileExists: "there is one already, perhaps through another interface; remove one of the two"
            case .invalidArgument, .outOfRange: "the kernel does not accept this value; see its reason"
            case .networkDown: "it is switched off"
            case Self.noSuchDevice: "the interface was removed"
            default: "see the kernel's reason"
            }
        return ResourceError(
            stage, resource, errno: refusal.errno, reason: "could not \(what): \(remedy) (\(said)\(refusal.errno))")
    }
}
