internal import CleatAPI
internal import CleatSettings

/// A network interface of the kernel by its name: link state, MTU, addresses, routes (rtnetlink(7)).
struct InterfaceResource: ResourceKind {
    static let kind = "interface"
    /// The reason why an interface that does not exist is skipped.
    static let absence = "it does not exist; it is configured when it appears"

    private let interface: String

    init(name: String) { interface = name }

    static func resource(named name: String?) -> Resource? {
        name.flatMap { $0.isEmpty || $0.utf8.contains(UInt8(ascii: "/")) ? nil : .interface($0) }
    }

    var resource: Resource { .interface(interface) }
    var name: String? { interface }
    var description: String { "the interface \(interface)" }
    var isRuntimeState: Bool { true }
    var reasonForNothing: String? { "it did not exist at the time of the change" }

    func accepts(_ state: ResourceState) -> Bool { if case .interface = state { true } else { false } }

    func accepts(_ content: Memento.Content) -> Bool { if case .interface = content { true } else { false } }

    /// Returns nil: the kernel adds to an interface's state what no setting describes.
    func differs(_ content: Memento.Content, from state: ResourceState) -> Bool? { nil }

    /// Captures nothing if there is no such interface, as it may appear later.
    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        try control(.capture, system).look().map { .interface($0.snapshot) } ?? .nothing
    }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .interface(let state) = state else { throw misfit(.apply) }
        let control = control(.apply, system)
        guard let found = try control.look() else { return .skipped(Self.absence) }
        var former: InterfaceState?
        if case .interface(let before) = step.before { former = before }
        let made = origin?.isNothing == true ? try self.made(on: system) : nil
        let target = state.target(of: interface, over: found.snapshot, after: former, origin: origin?.interface ?? made)
        try control.bring(to: target, from: found, isExact: false, isRequired: state.isSaid)
        let missing = try control.look().map { state.missing(of: interface, in: $0.snapshot) } ?? []
        guard missing.isEmpty else {
            throw ResourceError(
                .apply, resource,
                reason: "the kernel accepted the change, but the interface \(missing.joined(separator: ", ")); another "
                    + "program may configure it")
        }
        return .written
    }

    /// Returns the state of a virtual interface that has just been made; nil for another interface.
    private func made(on system: SystemResources) throws(ResourceError) -> InterfaceSnapshot? {
        guard let link = try VirtualLinkResource(name: interface).link(on: system) else { return nil }
        var mtu: UInt32?
        if !link.hasPorts, let parent = link.members.first { mtu = try system.interface(parent)?.mtu }
        return InterfaceSnapshot(isUp: true, mtu: mtu ?? 1500)
    }

    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .interface(let snapshot) = content else { throw misfit(.restore) }
        let control = control(.restore, system)
        guard let found = try control.look() else { return .skipped("there is no such interface any more") }
        try control.bring(to: snapshot, from: found, isExact: true)
        return .written
    }

    /// False: restoring an interface writes only the differences anyway.
    var isComparedFirst: Bool { false }

    /// Returns nil: other programs may extend an interface, so its whole state is not a measure of drift.
    func fingerprinted(on system: SystemResources) throws(ResourceError) -> [UInt8]? { nil }

    func holds(_ state: ResourceState, on system: SystemResources) throws(ResourceError) -> Bool {
        guard case .interface(let state) = state else { return false }
        return try differences(from: state, on: system)?.isEmpty ?? true
    }

    func content(on system: SystemResources) throws(ResourceError) -> [UInt8]? { nil }

    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        if (try? system.kernel.mayConfigureNetwork()) == true { return nil }
        return "needs the capability CAP_NET_ADMIN to change \(interface); \(MissingRight.remedy()), "
            + "or give --root to configure an image"
    }

    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        planned.note = planned.note ?? "its state, MTU, addresses and routes are set as the settings say"
    }

    /// Returns the present state; nil if there is no such interface, and under a root directory.
    func snapshot(on system: SystemResources) throws(ResourceError) -> InterfaceSnapshot? {
        guard system.isRunning else { return nil }
        return try control(.inspect, system).look()?.snapshot
    }

    /// Returns the differences from a desired state; nil if there is no such interface.
    func differences(
        from state: InterfaceState, on system: SystemResources
    ) throws(ResourceError) -> [InterfaceDifference]? {
        try snapshot(on: system).map { state.differences(of: interface, in: $0) }
    }

    /// Removes all managed addresses; the kernel removes the routes that need them.
    func removeAddresses(on system: SystemResources) throws(ResourceError) {
        let control = control(.apply, system)
        guard let found = try control.look() else { return }
        for address in found.snapshot.addresses { try control.remove(address, found.index) }
    }

    /// Removes the IPv4 default routes by gateways that none of these addresses reaches.
    func removeDefaults(notReachedBy addresses: [InterfaceAddress], on system: SystemResources) throws(ResourceError) {
        let control = control(.apply, system)
        guard let found = try control.look() else { return }
        for route in found.snapshot.routes where route.isDefault && route.family == 2 {
            guard let gateway = route.gateway, !addresses.contains(where: { $0.reaches(gateway) }) else { continue }
            try control.remove(route, found.index)
        }
    }

    /// Returns the routers of all IPv6 default routes through the interface.
    ///
    /// They include routers announced by router advertisements, and those that share a multipath route
    /// (`RTA_MULTIPATH`).
    func gateways(on system: SystemResources) throws(ResourceError) -> Set<InternetAddress> {
        let control = control(.inspect, system)
        guard let found = try control.look() else { return [] }
        return try control.gateways(found.index)
    }

    /// Returns true if the interface has a carrier (Documentation/ABI/testing/sysfs-class-net).
    func hasCarrier(on system: SystemResources) -> Bool {
        (try? system.value(ofAttribute: "/sys/class/net/\(interface)/carrier")) == "1"
    }

    private func control(_ stage: ResourceError.Stage, _ system: SystemResources) -> InterfaceControl {
        InterfaceControl(kernel: system.kernel, name: interface, stage: stage)
    }
}
