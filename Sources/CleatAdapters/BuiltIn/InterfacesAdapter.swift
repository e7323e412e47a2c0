package import CleatSettings

/// Configures interfaces by rtnetlink, on a board where nothing else has charge of them; what it sets holds until the next
/// boot, when it is set again.
package struct InterfacesAdapter: InterfaceConfiguring, PartialAdapter {
    /// `interfaces`.
    package let name = "interfaces"

    /// Takes nothing.
    package init() {}

    /// The kernel knows nothing of name servers.
    package func reasonNotToFollow(_ path: SettingPath) -> String? {
        guard path.segments.count > 3, path.segments[3] == "dns" else { return nil }
        return
            "cannot be followed: neither systemd-networkd nor ifupdown runs the network of this board, and the kernel "
            + "knows no name servers; write /etc/resolv.conf, or install one of them"
    }

    /// Wants each interface as it is set, and the addresses that are kept behind those that are; one that has addresses, a
    /// gateway or routes is switched on.
    package func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState {
        var desired = DesiredState()
        var gateways: [Int: String] = [:]
        let interfaces = InterfaceSettings.all(in: settings, keeping: kept)
        InterfaceSettings.checkRoutes(of: interfaces, &desired)
        for interface in interfaces {
            interface.check(&desired)
            if interface.dhcp == true {
                desired.refuse(
                    interface.path("dhcp"),
                    "asks for DHCP, but neither systemd-networkd nor ifupdown is here to do that; install one of them, or "
                        + "set fixed addresses")
            }
            if let gateway = interface.gateway, interface.enabled != false {
                if let other = gateways.updateValue(interface.name, forKey: gateway.bits) {
                    desired.refuse(
                        interface.path("gateway"), "is a second one, beside that of \(other); unset one of the two")
                }
            }
            if interface.dns?.isEmpty == false {
                desired.note(
                    "warning: \(interface.path("dns")) is stored, not applied: this board's network is configured directly in "
                        + "the kernel."
                )
            }
            let state = InterfaceState(
                isUp: interface.isUp, mtu: interface.mtu, addresses: interface.addresses, gateway: interface.gateway,
                routes: interface.routesInOrder, kept: interface.kept)
            guard state != InterfaceState() else { continue }
            desired.want(.interface(interface.name), .interface(state), for: interface.path)
        }
        return desired
    }
}

extension InterfaceSettings {
    /// Whether the interface shall be switched on; nil where nothing that is set says so.
    fileprivate var isUp: Bool? {
        enabled ?? (addresses?.isEmpty == false || gateway != nil || routes?.isEmpty == false ? true : nil)
    }
}
