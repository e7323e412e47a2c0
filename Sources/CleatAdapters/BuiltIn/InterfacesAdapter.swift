package import CleatSettings

/// Configures interfaces by rtnetlink, on a board where no network service manages them.
///
/// The configuration lasts until the next boot, when it is applied again.
package struct InterfacesAdapter: NetworkAdapter, PartialAdapter, RestoreOrdering {
    /// `interfaces`.
    package let name = "interfaces"

    /// Creates the adapter.
    package init() {}

    /// Returns a reason for the parameters of IPv6, which the kernel has as parameters of its own.
    package func reasonNotToFollow(_ path: SettingPath) -> String? {
        guard path.segments.count > 3 else { return nil }
        let parameters = ["ipv6": "disable_ipv6", "privacy": "use_tempaddr"]
        guard let parameter = parameters[path.segments[3]] else { return nil }
        let name = "net.ipv6.conf.\(path.segments[2].map { $0 == "." ? "/" : String($0) }.joined()).\(parameter)"
        let instead = (try? SettingPath("kernel/sysctl").appending(name).text) ?? name
        return
            "is applied by a network service (systemd-networkd, NetworkManager, ifupdown), and none runs on this board; set "
            + "\(instead) instead"
    }

    /// True: two interfaces cannot have the same route.
    package let releasesFirst = true

    /// Returns the virtual links before all interfaces: a port loses its routes when it leaves a bond.
    ///
    /// Those that did not exist are removed first.
    package func restoreOrder(_ mementos: [Memento]) -> [Resource] {
        let links = mementos.filter(\.resource.isVirtualLink)
        let interfaces = mementos.filter { !$0.resource.isVirtualLink }.reversed()
        let removed = links.filter { $0.content.text?.isEmpty == true }
        return (removed + links.filter { $0.content.text?.isEmpty != true } + interfaces).map(\.resource)
    }

    /// Wants each interface as it is set, virtual ones after their members; kept addresses follow those that are set.
    ///
    /// An interface with addresses, a gateway or routes is switched on.
    package func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState {
        var desired = DesiredState()
        var gateways: [Int: String] = [:]
        let interfaces = InterfaceSettings.all(in: settings, keeping: kept)
        InterfaceSettings.checkAll(interfaces, &desired)
        for interface in InterfaceSettings.inOrderOfMaking(interfaces) {
            guard let link = interface.link else { continue }
            let member = interfaces.first { $0.link != nil && link.members.contains($0.name) }
            desired.want(
                .virtualLink(interface.name), .text(link.description), for: interface.path,
                after: member.map { .virtualLink($0.name) })
        }
        for interface in interfaces {
            interface.check(&desired)
            if interface.dhcp == true {
                desired.refuse(
                    interface.path("dhcp"),
                    "requests DHCP, but no network service (systemd-networkd, NetworkManager, ifupdown) runs on this "
                        + "board; install one of them, or set fixed addresses")
            }
            if let gateway = interface.unrankedGateway, interface.enabled != false {
                if let other = gateways.updateValue(interface.name, forKey: gateway.bits) {
                    desired.refuse(
                        interface.path("gateway"),
                        "is a second one, next to that of \(other); unset one of the two, or set metric")
                }
            }
            let state = InterfaceState(
                isUp: interface.isUp, mtu: interface.mtu,
                addresses: interface.addresses ?? (interface.controllers.isEmpty ? nil : []),
                gateway: interface.unrankedGateway,
                routes: interface.routesInOrder, kept: interface.kept)
            guard state != InterfaceState() else { continue }
            desired.want(
                .interface(interface.name), .interface(state), for: interface.path,
                after: interface.link.map { _ in .virtualLink(interface.name) })
        }
        return desired
    }
}

extension InterfacesAdapter {
    /// Checks that a virtual interface has a free name.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        InterfaceSettings.checkNames(settings, &desired, on: system)
        return desired.problems
    }
}

extension InterfaceSettings {
    /// True if the interface is to be switched on; nil if no setting implies either.
    fileprivate var isUp: Bool? {
        let isUsed =
            addresses?.isEmpty == false || gateway != nil || routes?.isEmpty == false || link != nil
            || !controllers.isEmpty || !vlans.isEmpty
        return enabled ?? (isUsed ? true : nil)
    }
}
