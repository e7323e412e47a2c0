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
    package let files = [BuiltIn.file("\(Self.directory)/10-cleat-*.network", makesParents: true)].compactMap(\.self)

    /// Creates the adapter.
    package init() {}

    /// Wants a file for each interface that has settings; kept addresses follow those that are set.
    ///
    /// The file overrides the system's own file for that interface, so it also contains the defaults of unset settings.
    package func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState {
        desiredFiles(
            settings, keeping: kept,
            refusingNames: "is for an interface whose name systemd-networkd reads as a pattern; rename it"
        ) { [(Self.file($0.name), .file(Self.text($0)))] }
    }

    private static func file(_ interface: String) -> Resource {
        .file("\(directory)/10-cleat-\(interface).network")
    }

    private static func text(_ interface: InterfaceSettings) -> String {
        var text =
            "\(WrittenByCleat.mark)\(InterfaceSettings.path)/\(interface.name).\n[Match]\nName=\(interface.name)\n"
        var link = ""
        if let mtu = interface.mtu { link += "MTUBytes=\(mtu)\n" }
        if interface.enabled == false { link += "ActivationPolicy=always-down\n" }
        if !link.isEmpty { text += "\n[Link]\n" + link }
        // Without router advertisements there is no DHCPv6.
        let dhcp = interface.usesDHCP ? interface.ipv6 == .fixed || interface.ipv6 == .off ? "ipv4" : "yes" : "no"
        text += "\n[Network]\nDHCP=\(dhcp)\n"
        if interface.ipv6 == .off { text += "LinkLocalAddressing=no\n" }
        if let ipv6 = interface.ipv6 { text += "IPv6AcceptRA=\(ipv6 == .automatic ? "yes" : "no")\n" }
        if let privacy = interface.privacy { text += "IPv6PrivacyExtensions=\(privacy ? "yes" : "no")\n" }
        if let search = interface.search, !search.isEmpty { text += "Domains=\(search.joined(separator: " "))\n" }
        for address in interface.addresses ?? [] { text += "Address=\(address)\n" }
        if !interface.kept.isEmpty { text += "# Kept while the change is on trial.\n" }
        for address in interface.kept { text += "Address=\(address)\n" }
        if let gateway = interface.unrankedGateway { text += "Gateway=\(gateway)\n" }
        for server in interface.dns ?? [] { text += "DNS=\(server)\n" }
        if let metric = interface.metric {
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
                by: "systemd-networkd", files: [Self.file($0.name)], needs: Self.sign, isTakenUpLater: true)
        }
    }

    static let sign = RunningSign("/run/systemd/netif/state", unit: "systemd-networkd.service")

    /// Reloads the service's files, reconfigures the interfaces whose files have changed, and then checks the kernel.
    package func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        guard !changed.isEmpty else { return [] }
        let checks = old == nil ? [] : configured(new).filter { !changed.isDisjoint(with: $0.files) }
        let names = changed.compactMap { resource -> String? in
            guard let file = resource.path?.split(separator: "/").last, file.hasPrefix("10-cleat-") else { return nil }
            return String(file.dropFirst("10-cleat-".utf8.count).dropLast(".network".utf8.count))
        }
        return [
            networkctl("make systemd-networkd reload its files", ["reload"], service: "systemd-networkd.service")
        ]
            + names.sortedByBytes().map { networkctl("reconfigure \($0)", ["reconfigure", "--", $0], service: nil) }
            + checks.map { .interface(InterfaceAction($0.name, .check($0))) }
    }

    private func networkctl(_ title: String, _ arguments: [String], service: String?) -> AdapterAction {
        .command(
            ActionCommand(
                title, service: service, program: "networkctl", arguments, needs: Self.sign))
    }
}
