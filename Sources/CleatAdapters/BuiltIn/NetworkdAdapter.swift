internal import CleatIO
package import CleatSandbox
package import CleatSettings

/// Configures interfaces with systemd-networkd, by one file for each that sorts before the system's own
/// (systemd.network(5)).
package struct NetworkdAdapter: NetworkAdapter {
    private static let directory = "/etc/systemd/network"

    /// `networkd`.
    package let name = "networkd"
    /// The files that Cleat writes.
    package let files = ["network", "netdev"].compactMap {
        BuiltIn.file("\(Self.directory)/\(NetworkdFile.prefix)*.\($0)", makesParents: true)
    }

    /// Creates the adapter.
    package init() {}

    /// Wants a file for each interface that has settings; kept addresses follow those that are set.
    ///
    /// The file overrides the system's own file for that interface, so it also contains the defaults of unset settings.
    package func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState {
        desiredFiles(
            settings, keeping: kept,
            refusingNames: "is for an interface whose name systemd-networkd reads as a pattern; rename it"
        ) { interface in
            let link = interface.link.map { [(Self.file(interface.name, "netdev"), Self.text(interface, $0))] } ?? []
            return (link + [(Self.file(interface.name), Self.text(interface))]).map { ($0, .file($1)) }
        }
    }

    private static func file(_ interface: String, _ suffix: String = "network") -> Resource {
        .file("\(directory)/\(NetworkdFile.prefix)\(interface).\(suffix)")
    }

    /// Checks that a virtual interface has a free name, and that the parent of a VLAN keeps its configuration.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        InterfaceSettings.checkOwners(settings, &desired, on: system) { name throws(ResourceError) in
            let file = Self.file(name, "netdev")
            if system.isKnown(file) { return true }
            return try system.isThere(file.path ?? "/")
        }
        for interface in InterfaceSettings.all(in: settings) where interface.hasPlainName {
            do throws(ResourceError) {
                if let link = interface.link, system.isRunning,
                    let present = try VirtualLinkResource(name: interface.name).link(on: system),
                    !link.succeeds(present)
                {
                    desired.refuse(
                        interface.path,
                        "needs “\(link)”, and \(interface.name) is “\(present)”, which systemd-networkd cannot change; unset "
                            + "all settings of \(interface.name) first, or choose another name")
                }
                guard interface.membership.isImplied, !system.isKnown(Self.file(interface.name)) else { continue }
                guard let file = try NetworkdFile.file(of: interface.name, on: system) else {
                    // systemd-networkd would remove them, and they could not be restored.
                    guard let present = try system.interface(interface.name), !present.addresses.isEmpty else {
                        continue
                    }
                    desired.refuse(
                        interface.path,
                        "is of \(interface.name), whose addresses (\(present.addressText)) no file of systemd-networkd has; "
                            + "remove them first: ip address flush dev \(interface.name)")
                    continue
                }
                guard let vlan = interface.membership.vlans.first else { continue }
                let path = InterfaceSettings.path(vlan, "vlan/parent") ?? interface.path
                desired.refuse(
                    path,
                    "is \(interface.name), which \(file.path) configures. Set \(interface.name), too, as it is to be: "
                        + "cleat adopt interface:\(interface.name)")
            } catch {
                desired.refuse(interface.path, "cannot be applied: \(error)")
            }
        }
        return desired.problems
    }

    /// Returns the file that makes a virtual link (systemd.netdev(5)).
    private static func text(_ interface: InterfaceSettings, _ link: VirtualLink) -> String {
        let text =
            "\(WrittenByCleat.mark)\(InterfaceSettings.path)/\(interface.name).\n[NetDev]\nName=\(interface.name)\n"
            + "Kind=\(link.type)\n"
        return switch link.kind {
        case .vlan(let number): text + "\n[VLAN]\nId=\(number ?? 0)\n"
        case .bridge(let hasSpanningTree): text + "\n[Bridge]\nSTP=\(hasSpanningTree ? "yes" : "no")\n"
        case .bond(let mode):
            text + "\n[Bond]\nMode=\(mode.name)\nMIIMonitorSec=\(BondMode.checkInterval)ms\n"
        }
    }

    private static func text(_ interface: InterfaceSettings) -> String {
        var text =
            "\(WrittenByCleat.mark)\(InterfaceSettings.path)/\(interface.name).\n[Match]\nName=\(interface.name)\n"
        var link = ""
        if let mtu = interface.mtu { link += "MTUBytes=\(mtu)\n" }
        if interface.enabled == false { link += "ActivationPolicy=always-down\n" }
        if !link.isEmpty { text += "\n[Link]\n" + link }
        // Without router advertisements there is no DHCPv6.
        let dhcp = interface.usesDHCP ? interface.ip.ipv6 == .fixed || interface.ip.ipv6 == .off ? "ipv4" : "yes" : "no"
        text += "\n[Network]\nDHCP=\(dhcp)\n"
        if interface.ip.ipv6 == .off || !interface.membership.controllers.isEmpty { text += "LinkLocalAddressing=no\n" }
        for controller in interface.membership.controllers {
            text += "\(controller.type == "bond" ? "Bond" : "Bridge")=\(controller.name)\n"
        }
        for vlan in interface.membership.vlans { text += "VLAN=\(vlan)\n" }
        if let ipv6 = interface.ip.ipv6 { text += "IPv6AcceptRA=\(ipv6 == .automatic ? "yes" : "no")\n" }
        if let privacy = interface.ip.privacy { text += "IPv6PrivacyExtensions=\(privacy ? "yes" : "no")\n" }
        if let search = interface.resolver.search, !search.isEmpty {
            text += "Domains=\(search.joined(separator: " "))\n"
        }
        for address in interface.ip.addresses ?? [] { text += "Address=\(address)\n" }
        if !interface.ip.kept.isEmpty { text += "# Kept while the change is on trial.\n" }
        for address in interface.ip.kept { text += "Address=\(address)\n" }
        if let gateway = interface.unrankedGateway { text += "Gateway=\(gateway)\n" }
        for server in interface.resolver.dns ?? [] { text += "DNS=\(server)\n" }
        if let metric = interface.ip.metric {
            for section in ["DHCPv4", "IPv6AcceptRA"] { text += "\n[\(section)]\nRouteMetric=\(metric)\n" }
        }
        for route in interface.routesInOrder {
            text += "\n[Route]\nDestination=\(route.destination)\n"
            if let gateway = route.gateway {
                text += "Gateway=\(gateway)\n"
            } else if route.destination.address.bits == 32 {
                text += "Scope=link\n"
            }
            if let metric = route.metric { text += "Metric=\(metric)\n" }
        }
        return text
    }

    /// Returns the expected state of each interface; it gets its addresses once it has a carrier.
    package func configured(_ settings: LayeredSettings) -> [ConfiguredInterface] {
        InterfaceSettings.all(in: settings).map {
            $0.configured(
                by: "systemd-networkd",
                files: ($0.link == nil ? [] : [Self.file($0.name, "netdev")]) + [Self.file($0.name)],
                needs: Self.sign, isTakenUpLater: true)
        }
    }

    static let sign = RunningSign("/run/systemd/netif/state", unit: "systemd-networkd.service")

    /// Reloads the service's files, reconfigures the interfaces whose files have changed, and then checks the kernel.
    package func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        guard !changed.isEmpty else { return [] }
        let checks = old == nil ? [] : configured(new).filter { !changed.isDisjoint(with: $0.files) }
        let links = Set(changed.compactMap { Self.interface(of: $0, "netdev") })
        let present = InterfaceSettings.all(in: new).filter { links.contains($0.name) && $0.link != nil }
        let gone = Array(links.subtracting(present.map(\.name))).sortedByBytes()
        let names = changed.compactMap { Self.interface(of: $0, "network") }.filter { !gone.contains($0) }
        // systemd-networkd neither removes a virtual interface with its file, nor changes it.
        return gone.map { networkctl("remove \($0)", ["delete", "--", $0], service: nil, "No such device") } + [
            networkctl("make systemd-networkd reload its files", ["reload"], service: "systemd-networkd.service")
        ]
            + present.compactMap { interface in
                interface.link.map { .interface(InterfaceAction(interface.name, .change($0))) }
            }
            + names.sortedByBytes().map {
                networkctl("reconfigure \($0)", ["reconfigure", "--", $0], service: nil, "No such device")
            }
            + checks.map { .interface(InterfaceAction($0.name, .check($0))) }
    }

    /// Returns the interface of one of Cleat's files; nil if it is another file.
    private static func interface(of resource: Resource, _ suffix: String) -> String? {
        guard let file = resource.path?.split(separator: "/").last, file.hasPrefix(NetworkdFile.prefix),
            file.hasSuffix(".\(suffix)")
        else { return nil }
        return String(file.dropFirst(NetworkdFile.prefix.utf8.count).dropLast(suffix.utf8.count + 1))
    }

    private func networkctl(
        _ title: String, _ arguments: [String], service: String?, _ marks: String...
    ) -> AdapterAction {
        .command(
            ActionCommand(
                title, service: service, program: "networkctl", arguments, needs: Self.sign, idleMarks: marks))
    }
}
