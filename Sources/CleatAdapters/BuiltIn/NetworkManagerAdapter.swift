internal import CleatHash
internal import CleatIO
package import CleatSandbox
package import CleatSettings

/// Configures interfaces with NetworkManager, by a connection profile of Cleat's own for each, or for each of its Wi-Fi
/// networks (nm-settings-keyfile(5)).
///
/// Profiles of others are not changed. The priority of Cleat's own is the highest, so that NetworkManager prefers it;
/// without it, NetworkManager activates the profile that it used before.
package struct NetworkManagerAdapter: NetworkAdapter, ComposingAdapter, DisconnectingAdapter {
    private static let profiles = "/etc/NetworkManager/system-connections"
    private static let configuration = "/etc/NetworkManager/conf.d"
    private static let prefix = "cleat-"
    /// Stands between the interface and the Wi-Fi network; names of interfaces do not have it.
    private static let separator: Character = "+"
    /// The suffixes of the two kinds of files.
    private static let (profileSuffix, offSuffix) = (".nmconnection", ".conf")
    static let sign = RunningSign("/run/NetworkManager", unit: "NetworkManager.service", process: "NetworkManager")

    /// `networkmanager`.
    package let name = "networkmanager"
    /// The files that Cleat writes: profiles, and files that switch an interface off.
    package let files = [
        BuiltIn.file("\(Self.profiles)/\(Self.prefix)*\(Self.profileSuffix)", makesParents: true),
        BuiltIn.file("\(Self.configuration)/\(Self.prefix)*\(Self.offSuffix)", makesParents: true),
    ].compactMap(\.self)

    /// Creates the adapter.
    package init() {}

    /// Wants a profile for each interface that has settings; kept addresses follow those that are set.
    ///
    /// An interface that is switched off has no profile but a file that makes NetworkManager ignore it, also at boot.
    package func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState {
        desiredFiles(
            settings, keeping: kept,
            refusingNames: "is for an interface whose name NetworkManager reads as a pattern; rename it"
        ) { interface in
            Self.texts(interface).map { resource, text in
                // NetworkManager ignores a profile that others can read.
                (resource, .file(FileState(bytes: Array(text.utf8), permissions: 0o600)))
            }
        }
    }

    /// Returns the files of an interface with their contents: one, or one for each Wi-Fi network.
    private static func texts(_ interface: InterfaceSettings) -> [(Resource, String)] {
        if interface.membership.isImplied, interface.membership.controllers.isEmpty { return [] }
        if interface.enabled == false { return [(offFile(interface.name), offText(interface))] }
        if interface.wifi.isEmpty { return [(profile(interface.name), interface.profileText(for: nil))] }
        return interface.networks.map { (profile(interface.name, $0), interface.profileText(for: $0)) }
    }

    private static func profile(_ interface: String, _ network: WifiNetwork? = nil) -> Resource {
        let name = interface + (network.map { "\(separator)\($0.name)" } ?? "")
        return .file("\(profiles)/\(prefix)\(name)\(profileSuffix)")
    }

    /// Returns true for the profile of a Wi-Fi network: the board may not be able to join the former network again.
    package func mayDisconnect(_ resource: Resource) -> Bool {
        Self.interface(of: resource) != nil && resource.path?.contains(Self.separator) == true
    }

    /// Returns the settings of the interface that a file is for.
    package func sources(of resource: Resource) -> [SettingPath] {
        Self.interface(of: resource).flatMap { try? InterfaceSettings.path.appending($0) }.map { [$0] } ?? []
    }

    private static func offFile(_ interface: String) -> Resource {
        .file("\(configuration)/\(prefix)\(interface)\(offSuffix)")
    }

    /// Returns a section of NetworkManager.conf(5) that makes NetworkManager ignore the interface.
    private static func offText(_ interface: InterfaceSettings) -> String {
        """
        \(WrittenByCleat.mark)\(InterfaceSettings.path)/\(interface.name).
        [device-\(prefix)\(interface.name)]
        match-device=interface-name:=\(interface.name)
        managed=0

        """
    }

    /// Returns the interface of one of Cleat's files; nil if it is another file.
    private static func interface(of resource: Resource) -> String? {
        guard let file = resource.path?.split(separator: "/").last, file.hasPrefix(prefix) else { return nil }
        for suffix in [profileSuffix, offSuffix] where file.hasSuffix(suffix) {
            return String(file.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count).prefix { $0 != separator })
        }
        return nil
    }

    /// Checks that each interface is one of Ethernet, and that no profile of others is for it.
    ///
    /// Once Cleat has a file for the interface, its profile is preferred, and others are ignored. Before, settings that
    /// are equal to those of the other profile are accepted, so that it can be adopted.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        InterfaceSettings.checkOwners(settings, &desired, on: system) { name throws(ResourceError) in
            try Self.hasOwnFile(for: InterfaceSettings(name), on: system)
        }
        var profiles: [ConnectionProfile]?
        for interface in InterfaceSettings.all(in: settings) where interface.hasPlainName {
            do throws(ResourceError) {
                if let reason = try Self.unfitness(of: interface, on: system) {
                    desired.refuse(interface.path, reason)
                    continue
                }
                if interface.usesIPv4 == false, (interface.resolver.dns ?? []).contains(where: { $0.bits == 32 }) {
                    desired.refuse(
                        interface.path("dns"),
                        "has a name server of IPv4, which \(interface.name) does not use; set an IPv4 address, or "
                            + "dhcp=true")
                }
                if let (key, words) = interface.unusableResolver {
                    desired.refuse(
                        interface.path(key),
                        "has \(words), and NetworkManager accepts none where \(interface.name) has only the link-local "
                            + "IPv6 address; set an address, or ipv6=auto")
                }
                // A port has no settings that the other profile could have had.
                if interface.membership.isImplied { continue }
                if try Self.hasOwnFile(for: interface, on: system) { continue }
                let all: [ConnectionProfile]
                if let profiles { all = profiles } else { all = try ConnectionProfile.all(on: system) }
                profiles = all
                guard let owner = try ConnectionProfile.owner(of: interface.name, among: all, on: system),
                    !owner.isEqual(to: interface)
                else { continue }
                desired.refuse(
                    interface.path,
                    "is of \(interface.name), which \(owner.words) configures. Take it over first: cleat adopt "
                        + "interface:\(interface.name). Or change the profile: nmcli connection modify "
                        + "“\(owner.name)”")
            } catch {
                desired.refuse(interface.path, "cannot be applied: \(error)")
            }
        }
        return desired.problems
    }

    /// Returns the settings that are equal to the profile of others that configures an interface.
    ///
    /// - Parameters:
    ///   - interface: the interface's name.
    ///   - system: the system, which is only read.
    /// - Returns: one difference for each setting, or for each part that settings cannot express; nil if no such
    ///   profile configures it.
    /// - Throws: the reason why a profile could not be read.
    package func foreign(_ interface: String, on system: SystemResources) throws(ResourceError)
        -> [InterfaceDifference]?
    {
        // The name comes from a client, and is a part of a path; IFNAMSIZ is 16.
        guard InterfaceSettings(interface).hasPlainName, interface.utf8.count < 16 else { return nil }
        if try Self.hasOwnFile(for: InterfaceSettings(interface), on: system) { return nil }
        let profiles = try ConnectionProfile.all(on: system)
        return try ConnectionProfile.owner(of: interface, among: profiles, on: system)?.differences(of: interface)
    }

    /// Returns the reason why settings are not for an interface of its type: the end of a sentence.
    ///
    /// - Returns: nil if they are, or if there is no such interface.
    private static func unfitness(
        of interface: InterfaceSettings, on system: SystemResources
    ) throws(ResourceError) -> String? {
        let name = interface.name
        if let link = interface.link {
            return interface.enabled == false
                ? "is of \(name), and NetworkManager makes no \(link.type) that is switched off; unset its settings instead"
                : nil
        }
        switch try system.linkType(of: name) {
        case SystemResources.wirelessType where interface.wifi.isEmpty && interface.enabled != false:
            return
                "is of \(name), a Wi-Fi interface, which NetworkManager configures by the network that it joins; set "
                + "network/interfaces/\(name)/wifi/NAME/ssid and passphrase, too"
        case SystemResources.wirelessType: return nil
        case "vlan" where !interface.membership.controllers.isEmpty,
            "bond" where !interface.membership.controllers.isEmpty:
            return nil
        case let type?:
            return
                "is of \(name), an interface of the type “\(type)”; with NetworkManager Cleat configures Ethernet, Wi-Fi, "
                + "VLANs, bridges and bonds only: set it there (nmcli)"
        case nil:
            guard !interface.wifi.isEmpty, try system.isThere("/sys/class/net/\(name)") else { return nil }
            return "is of \(name), which is no Wi-Fi interface; unset network/interfaces/\(name)/wifi"
        }
    }

    /// Returns true if Cleat has written a file for an interface, even if it is missing now.
    private static func hasOwnFile(
        for interface: InterfaceSettings, on system: SystemResources
    ) throws(ResourceError) -> Bool {
        let name = interface.name
        for resource in [profile(name), offFile(name)] + interface.wifi.map({ profile(name, $0) }) {
            if system.isKnown(resource) { return true }
            if let path = resource.path, try system.isThere(path) { return true }
        }
        return try !system.paths("\(profiles)/\(prefix)\(name)\(separator)*\(profileSuffix)").isEmpty
    }

    /// Returns the expected state of each interface; it gets its addresses once it has a carrier.
    package func configured(_ settings: LayeredSettings) -> [ConfiguredInterface] {
        InterfaceSettings.all(in: settings).filter { $0.hasPlainName && !Self.texts($0).isEmpty }.map {
            $0.configured(
                by: "NetworkManager", files: Self.texts($0).map(\.0), needs: Self.sign, isTakenUpLater: true,
                choosesMetrics: true)
        }
    }

    /// Makes NetworkManager load the changed files, activates the profiles, and then checks the kernel.
    ///
    /// If a profile has been removed, NetworkManager itself activates another one; that is waited for.
    package func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        let files = changed.filter { Self.interface(of: $0) != nil }
        let paths = files.compactMap(\.path).sortedByBytes()
        let present = InterfaceSettings.all(in: new)
        let interfaces = Array(Set(files.compactMap { Self.interface(of: $0) })).sortedByBytes().map { name in
            (name: name, settings: present.first { $0.name == name })
        }
        var actions: [AdapterAction] = []
        // Before its profile is gone: NetworkManager would activate another one.
        for (name, settings) in interfaces where settings?.enabled == false {
            let ignore = nmcli(
                "make NetworkManager ignore \(name)", ["device", "set", name, "managed", "no"], of: name, "not found")
            actions.append(.interface(InterfaceAction(name, .takeDown([ignore]))))
            actions.append(
                .command(
                    ActionCommand(
                        "switch \(name) off", program: "ip", ["link", "set", "dev", name, "down"],
                        needs: RunningSign("/sys/class/net/\(name)"), subject: name)))
        }
        let profiles = paths.filter { $0.hasSuffix(Self.profileSuffix) }
        if !profiles.isEmpty {
            actions.append(
                .command(
                    nmcli(
                        "make NetworkManager load its profiles", ["connection", "load"] + profiles, of: nil,
                        failing: "\(Self.profileSuffix)'")))
        }
        if profiles.count < paths.count {
            let reload = ["general", "reload", "conf"]
            actions.append(.command(nmcli("make NetworkManager reload its configuration", reload, of: nil)))
        }
        for (name, settings) in interfaces where settings?.enabled != false {
            if files.contains(Self.offFile(name)) {
                actions.append(
                    .command(
                        nmcli(
                            "make NetworkManager manage \(name)", ["device", "set", name, "managed", "yes"], of: name,
                            "not found")))
            }
            guard let settings else { continue }
            if !settings.wifi.isEmpty {
                actions.append(.interface(InterfaceAction(name, .join(settings.networks.map { join($0, settings) }))))
                continue
            }
            // An interface that is absent, or has no carrier, is configured when that changes.
            actions.append(
                .command(
                    nmcli(
                        "activate the profile of \(name)",
                        ["--wait", "0", "connection", "up", "uuid", settings.profileID(for: nil)]
                            + (settings.link == nil ? ["ifname", name] : []),
                        of: name,
                        // The parent of a VLAN may not be there yet.
                        "not found for connection", "has no carrier",
                        settings.link?.hasPorts == false ? "Failed to find a compatible device" : "has no carrier")))
        }
        guard old != nil else { return actions }
        // Nothing is expected of a released interface, but NetworkManager must be done with it.
        let released = interfaces.filter { $0.settings == nil }.map { interface in
            ConfiguredInterface(
                name: interface.name, state: InterfaceState(), files: [Self.profile(interface.name)],
                path: InterfaceSettings.path, service: "NetworkManager", needs: Self.sign, isTakenUpLater: true,
                usesDHCP: true, choosesMetrics: true)
        }
        let checks =
            released + configured(new).filter { interface in interfaces.contains { $0.name == interface.name } }
        return actions + checks.map { .interface(InterfaceAction($0.name, .check($0))) }
    }

    /// Returns a command that joins a network, and that is skipped if the network is not in range.
    private func join(_ network: WifiNetwork, _ interface: InterfaceSettings) -> ActionCommand {
        var command = nmcli(
            "join the Wi-Fi network “\(network.ssid ?? network.name)” with \(interface.name)",
            [
                "--wait", "45", "connection", "up", "uuid", interface.profileID(for: network), "ifname", interface.name,
            ], of: interface.name, "not found", "could not be found", InterfaceAction.joiningMark)
        command.timeLimit = .seconds(60)
        // The last line is a hint on the journal.
        command.quotedLines = 2
        return command
    }

    /// Returns a command that is skipped while NetworkManager does not run, or if its output has one of the marks.
    private func nmcli(
        _ title: String, _ arguments: [String], of interface: String?, failing failureMark: String? = nil,
        _ marks: String...
    )
        -> ActionCommand
    {
        ActionCommand(
            title, service: interface == nil ? "NetworkManager.service" : nil, program: "nmcli", arguments,
            needs: Self.sign, timeLimit: .seconds(20), subject: interface,
            failureMark: failureMark, idleMarks: ["NetworkManager is not running"] + marks)
    }
}

extension InterfaceSettings {
    /// Returns the UUID of the profile of the interface, or of one of its networks, made from the name (RFC 9562,
    /// version 8).
    fileprivate func profileID(for network: WifiNetwork?) -> String {
        let words = "cleat \(name)" + (network.map { " \($0.name)" } ?? "")
        var digits = Array(SHA256.hexadecimal(of: Array(words.utf8)).prefix(32))
        (digits[12], digits[16]) = ("8", "8")
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }

    /// True if the interface gets an IPv4 address.
    fileprivate var usesIPv4: Bool {
        usesDHCP || ((ip.addresses ?? []) + ip.kept).contains { $0.address.bits == 32 }
    }

    /// Returns the interface's configuration, with that of one of its networks, in the format of nm-settings-keyfile(5).
    fileprivate func profileText(for network: WifiNetwork?) -> String {
        let section = network == nil ? "ethernet" : "wifi"
        var text = """
            \(WrittenByCleat.mark)\(Self.path)/\(name).
            [connection]
            id=cleat-\(name)\(network.map { "-\($0.name)" } ?? "")
            uuid=\(profileID(for: network))
            type=\(link?.type ?? section)
            interface-name=\(name)
            autoconnect-priority=\(network.map { 900 + ($0.priority ?? 0) } ?? 999)
            autoconnect-retries=0

            """
        for controller in membership.controllers {
            text += "master=\(controller.name)\nslave-type=\(controller.type)\n"
        }
        if let link { text += link.profileLines }
        if mtu != nil || network != nil { text += "\n[\(section)]\n" }
        if let mtu { text += "mtu=\(mtu)\n" }
        if let network { text += network.profileLines }
        if !membership.controllers.isEmpty { return text }
        let v4 = lines(ofFamily: 32)
        // A DHCP client that gives up would end the whole configuration.
        let method = usesDHCP ? "auto\ndhcp-timeout=2147483647" : usesIPv4 ? "manual" : "disabled"
        text += "\n[ipv4]\nmethod=\(method)\n" + v4.text
        let v6 = lines(ofFamily: 128)
        text += "\n[ipv6]\nmethod=\(ipv6Method(hasAddresses: v6.hasAddresses))\n"
        if let privacy = ip.privacy { text += "ip6-privacy=\(privacy ? 2 : 0)\n" }
        return text + v6.text
    }

    /// The setting of name servers or search domains for which the profile has no place, with a description; nil if all
    /// have one.
    fileprivate var unusableResolver: (key: StaticString, words: String)? {
        let hasAddresses = (ip.addresses ?? []).contains { $0.address.bits == 128 }
        guard ipv6Method(hasAddresses: hasAddresses) == "link-local" else { return nil }
        if (resolver.dns ?? []).contains(where: { $0.bits == 128 }) { return ("dns", "a name server of IPv6") }
        return usesIPv4 || resolver.search?.isEmpty != false ? nil : ("search", "search domains")
    }

    /// The method of the section `ipv6`, and the time limit of router advertisements.
    private func ipv6Method(hasAddresses: Bool) -> String {
        let fixed = hasAddresses ? "manual" : "link-local"
        return switch ip.ipv6 {
        case .off: "disabled"
        case .fixed: fixed
        case .automatic: "auto\nra-timeout=2147483647"
        // Where only IPv6 is used, NetworkManager gives up without a router advertisement.
        case nil: usesIPv4 ? "auto" : fixed
        }
    }

    /// Returns the addresses, routes and name servers of one family.
    private func lines(ofFamily bits: Int) -> (text: String, hasAddresses: Bool) {
        let set = (ip.addresses ?? []).filter { $0.address.bits == bits }
        let kept = ip.kept.filter { $0.address.bits == bits }
        var lines = set.enumerated().map { "address\($0.offset + 1)=\($0.element)" }
        if !kept.isEmpty { lines.append("# Kept while the change is on trial.") }
        lines += kept.enumerated().map { "address\(set.count + $0.offset + 1)=\($0.element)" }
        var routes = routesInOrder.filter { $0.destination.address.bits == bits }
        if let gateway = unrankedGateway, gateway.bits == bits {
            // NetworkManager refuses a gateway without an address of its family.
            if set.isEmpty, kept.isEmpty {
                routes.append(InterfaceRoute(InterfaceAddress(gateway, prefix: 0).network, gateway: gateway))
            } else {
                lines.append("gateway=\(gateway)")
            }
        }
        for (index, route) in routes.enumerated() {
            let hop = route.gateway.map(\.description) ?? (bits == 32 ? "0.0.0.0" : "::")
            let rest = route.metric.map { ",\(hop),\($0)" } ?? (route.gateway == nil ? "" : ",\(hop)")
            lines.append("route\(index + 1)=\(route.destination)\(rest)")
        }
        let servers = (resolver.dns ?? []).filter { $0.bits == bits }
        if !servers.isEmpty { lines.append("dns=" + servers.map { "\($0);" }.joined()) }
        // NetworkManager uses those of both families alike.
        if let search = resolver.search, !search.isEmpty, (bits == 32) == usesIPv4 {
            lines.append("dns-search=" + search.map { "\($0);" }.joined())
        }
        if let metric = ip.metric { lines.append("route-metric=\(metric)") }
        return (lines.map { $0 + "\n" }.joined(), !set.isEmpty || !kept.isEmpty)
    }
}

extension VirtualLink {
    /// The rest of the section `connection`, and the section of the link.
    fileprivate var profileLines: String {
        switch kind {
        case .vlan(let number): "\n[vlan]\nflags=1\nid=\(number ?? 0)\nparent=\(members.first ?? "")\n"
        case .bridge(let hasSpanningTree): "autoconnect-slaves=1\n\n[bridge]\nstp=\(hasSpanningTree)\n"
        case .bond(let mode):
            "autoconnect-slaves=1\n\n[bond]\nmode=\(mode.name)\nmiimon=\(BondMode.checkInterval)\n"
        }
    }
}

extension WifiNetwork {
    /// The rest of the section `wifi`, and the section `wifi-security`.
    fileprivate var profileLines: String {
        // The numbers of the bytes need no escapes.
        var text = "mode=infrastructure\nssid=" + (ssid ?? "").utf8.map { "\($0);" }.joined() + "\n"
        if isHidden == true { text += "hidden=true\n" }
        guard security != .open, let passphrase else { return text }
        // GLib removes spaces at both ends of a value.
        let value = passphrase.map { $0 == "\\" ? "\\\\" : $0 == " " ? "\\s" : String($0) }.joined()
        text += "\n[wifi-security]\nkey-mgmt=\(security == .wpa3 ? "sae" : "wpa-psk")\npsk=\(value)\n"
        return text
    }
}

extension SystemResources {
    /// The type of Wi-Fi interfaces.
    static let wirelessType = "wlan"

    /// Returns the type of an interface that is not an Ethernet one: `wlan`, `bridge` (`DEVTYPE` in its `uevent`, see
    /// Documentation/ABI/testing/sysfs-class-net and linux/device.h).
    ///
    /// - Returns: nil for Ethernet, an absent interface, and below a root directory.
    func linkType(of interface: String) throws(ResourceError) -> String? {
        guard let text = try value(ofAttribute: "/sys/class/net/\(interface)/uevent") else { return nil }
        // The value has its lines as words.
        for line in text.split(separator: " ") where line.hasPrefix("DEVTYPE=") {
            let type = String(line.dropFirst("DEVTYPE=".utf8.count))
            // A gadget is the Ethernet interface of a USB device controller.
            // The port of a switch (DSA) is one, too.
            return type == "gadget" || type == "dsa" ? nil : type
        }
        return nil
    }
}
