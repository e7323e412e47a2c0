internal import CleatIO
package import CleatSettings

/// Configures interfaces by rtnetlink, on a board where no network service manages them, and addresses from
/// DHCP by udhcpc.
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
        // A VLAN can be up only once its parent is, and a port gives up its addresses and routes before the bridge gets
        // them.
        let ordered = InterfaceSettings.inOrderOfMaking(interfaces)
        for interface in ordered {
            guard let link = interface.link else { continue }
            let member = interfaces.first { $0.link != nil && link.members.contains($0.name) }
            desired.want(
                .virtualLink(interface.name), .text(link.description), for: interface.path,
                after: member.map { .virtualLink($0.name) })
        }
        for interface in ordered {
            interface.check(&desired)
            interface.checkClient(&desired)
            if let gateway = interface.unrankedGateway, interface.enabled != false {
                if let other = gateways.updateValue(interface.name, forKey: gateway.bits) {
                    desired.refuse(
                        interface.path("gateway"),
                        "is a second one, next to that of \(other); unset one of the two, or set metric")
                }
            }
            let state = InterfaceState(
                isUp: interface.isUp, mtu: interface.mtu,
                addresses: interface.ip.addresses ?? (interface.membership.controllers.isEmpty ? nil : []),
                gateway: interface.unrankedGateway,
                routes: interface.routesInOrder, kept: interface.ip.kept)
            guard state != InterfaceState() else { continue }
            desired.want(
                .interface(interface.name), .interface(state), for: interface.path,
                after: interface.link.map { _ in .virtualLink(interface.name) })
        }
        return desired
    }
}

extension InterfacesAdapter {
    /// Checks that a virtual interface has a free name, and that a DHCP client has its script.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        InterfaceSettings.checkOwners(settings, &desired, on: system) { system.isKnown(.virtualLink($0)) }
        for interface in InterfaceSettings.all(in: settings) where interface.hasClient {
            do throws(ResourceError) {
                if try system.isThere(DHCPClient.scripts[0], DHCPClient.scripts[1]) { continue }
                desired.refuse(
                    interface.path("dhcp"),
                    "needs the script by which \(DHCPClient.program) configures the interface; install "
                        + DHCPClient.scripts.joined(separator: " or "))
            } catch {
                desired.refuse(interface.path("dhcp"), "cannot be applied: \(error)")
            }
        }
        return desired.problems
    }

    /// Returns the interfaces that must have a DHCP client.
    package func configured(_ settings: LayeredSettings) -> [ConfiguredInterface] {
        InterfaceSettings.all(in: settings).filter(\.hasClient).map {
            ConfiguredInterface(
                name: $0.name, state: InterfaceState(), files: [.interface($0.name)], path: $0.path("dhcp"),
                service: DHCPClient.program, needs: nil, isTakenUpLater: false, usesDHCP: true, choosesMetrics: true,
                client: DHCPClient.words(for: $0.name))
        }
    }

    /// Starts the DHCP clients of interfaces that have changed, and ends those of others.
    package func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        let present = InterfaceSettings.all(in: new)
        let before = old.map { InterfaceSettings.all(in: $0).filter(\.hasClient).map(\.name) }
        let after = present.filter(\.hasClient).map(\.name)
        // What is released at a start has no settings before.
        let touched = changed.compactMap { if case .interface(let name) = $0 { name } else { nil } }
        let ended = (before ?? touched.sortedByBytes()).filter { !after.contains($0) }.map { name in
            let addresses = present.first { $0.name == name }?.ip.addresses
            return AdapterAction.interface(InterfaceAction(name, .endLease(reaching: before == nil ? nil : addresses)))
        }
        let started = after.filter { changed.contains(.interface($0)) || before?.contains($0) == false }
        return ended + started.map { .interface(InterfaceAction($0, .lease(DHCPClient.command(for: $0)))) }
    }
}

extension InterfaceSettings {
    /// True if Cleat starts a DHCP client for the interface.
    var hasClient: Bool { ip.dhcp == true && enabled != false }

    /// Refuses what a DHCP client that Cleat starts itself would change.
    fileprivate func checkClient(_ desired: inout DesiredState) {
        guard hasClient else { return }
        let others: [(StaticString, Bool)] = [
            ("addresses", ip.addresses?.isEmpty == false), ("gateway", ip.gateway != nil), ("metric", ip.metric != nil),
            ("routes", ip.routes?.isEmpty == false),
        ]
        for (key, isSet) in others where isSet {
            desired.refuse(
                path(key), "is set next to dhcp=true, and \(DHCPClient.program) would replace it; unset one of the two")
        }
    }

    /// True if the interface is to be switched on; nil if no setting implies either.
    fileprivate var isUp: Bool? {
        let isUsed =
            ip.addresses?.isEmpty == false || ip.gateway != nil || ip.routes?.isEmpty == false || link != nil
            || !membership.controllers.isEmpty || !membership.vlans.isEmpty || hasClient
        return enabled ?? (isUsed ? true : nil)
    }
}
