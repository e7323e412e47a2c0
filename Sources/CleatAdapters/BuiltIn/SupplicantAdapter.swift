internal import CleatHash
internal import CleatIO
package import CleatSandbox
package import CleatSettings

/// Makes wpa_supplicant join the Wi-Fi networks of interfaces, where NetworkManager does not run the network, by a file
/// for each interface (wpa_supplicant.conf(5)).
///
/// The addresses are configured by the network service, or by the kernel's own adapter.
package struct SupplicantAdapter: ComposingAdapter, DisconnectingAdapter {
    private static let directory = "/etc/wpa_supplicant"
    private static let (prefix, suffix) = ("wpa_supplicant-", ".conf")
    private static let wants = "/etc/systemd/system/multi-user.target.wants"

    static let ownName = "wpa_supplicant"
    /// `wpa_supplicant`.
    package let name = Self.ownName
    /// `network/interfaces`.
    package var prefixes: [SettingPath] { [InterfaceSettings.path] }
    /// The files of interfaces, and the links that enable their units.
    package let files = [
        BuiltIn.file("\(Self.directory)/\(Self.prefix)*\(Self.suffix)", makesParents: true),
        BuiltIn.file("\(Self.wants)/wpa_supplicant@*.service", isLink: true, makesParents: true),
    ].compactMap(\.self)
    /// The file of the unit with an instance for each interface; nil if systemd has none.
    private let unit: String?

    /// Creates the adapter from the path of the unit's file.
    init(unit: String?) { self.unit = unit }

    /// Returns the path of systemd's unit `wpa_supplicant@.service`; nil if there is none.
    static func unit(on system: SystemResources) throws(ResourceError) -> String? {
        for directory in ["/usr/lib/systemd/system", "/lib/systemd/system"] {
            let path = "\(directory)/wpa_supplicant@.service"
            if try system.isThere(path) { return path }
        }
        return nil
    }

    /// Wants a file, and the unit enabled, for each interface with Wi-Fi networks.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        for interface in Self.interfaces(settings) {
            let path = interface.path(WifiNetwork.key)
            guard interface.hasPlainName else {
                desired.refuse(path, "is for an interface whose name is not valid in a file's name; rename it")
                continue
            }
            for network in interface.wifi
            where network.passphrase.map({ $0.contains("#") && $0.contains("\"") }) == true {
                desired.refuse(
                    (try? interface.path(of: network).appending("passphrase")) ?? path,
                    "has both “#” and a quotation mark, which wpa_supplicant cannot read; choose another one")
            }
            desired.want(
                Self.file(interface.name),
                .file(FileState(bytes: Array(interface.supplicantText.utf8), permissions: 0o600)), for: path)
            if let unit { desired.want(Self.link(interface.name), .link(unit), for: path) }
        }
        return desired
    }

    /// Returns the interfaces with networks to join.
    private static func interfaces(_ settings: LayeredSettings) -> [InterfaceSettings] {
        InterfaceSettings.all(in: settings).filter { !$0.wifi.isEmpty && $0.enabled != false }
    }

    private static func file(_ interface: String) -> Resource {
        .file("\(directory)/\(prefix)\(interface)\(suffix)")
    }

    /// Returns the unit of an interface; systemd reads a hyphen as a slash (systemd.unit(5)).
    private static func unitName(_ interface: String) -> String {
        "wpa_supplicant@\(interface.map { $0 == "-" ? "\\x2d" : String($0) }.joined()).service"
    }

    private static func link(_ interface: String) -> Resource { .link("\(wants)/\(unitName(interface))") }

    private static func interface(of resource: Resource) -> String? {
        guard let file = resource.path?.split(separator: "/").last, file.hasPrefix(prefix), file.hasSuffix(suffix)
        else { return nil }
        return String(file.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
    }

    /// Returns true for a file of networks: the board may not be able to join the former network again.
    package func mayDisconnect(_ resource: Resource) -> Bool { Self.interface(of: resource) != nil }

    /// Returns the networks of the interface that a file is for.
    package func sources(of resource: Resource) -> [SettingPath] {
        Self.interface(of: resource).flatMap { try? InterfaceSettings.path.appending($0) }.map { [$0] } ?? []
    }

    /// Checks that the interfaces are Wi-Fi ones, and that their files are not of others.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        for interface in Self.interfaces(settings) where interface.hasPlainName {
            let path = interface.path(WifiNetwork.key)
            do throws(ResourceError) {
                if try !system.isThere("/usr/sbin/wpa_supplicant", "/sbin/wpa_supplicant", "/usr/bin/wpa_supplicant") {
                    desired.refuse(
                        path, "needs wpa_supplicant or NetworkManager, and this board has neither; install one")
                }
                let link = "/sys/class/net/\(interface.name)"
                if try system.isThere(link), try system.linkType(of: interface.name) != SystemResources.wirelessType {
                    desired.refuse(path, "is of \(interface.name), which is no Wi-Fi interface; unset it")
                }
                let file = Self.file(interface.name)
                guard !system.isKnown(file), let place = file.path, let text = try system.text(of: place),
                    !text.hasPrefix(WrittenByCleat.mark)
                else { continue }
                desired.refuse(
                    path,
                    "would replace \(place), which has networks of others; set those of them that you want, and remove "
                        + "that file")
            } catch {
                desired.refuse(path, "cannot be applied: \(error)")
            }
        }
        return desired.problems
    }

    /// Makes wpa_supplicant read its files again, or starts it, and waits until it has joined a network.
    ///
    /// If the settings before are not known, it is not waited for.
    package func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        let hasUnits = changed.contains { $0.path?.hasPrefix(Self.wants) == true }
        let reload = ActionCommand(
            "make systemd reload its units", program: "systemctl", ["daemon-reload"], needs: "/run/systemd/system")
        let present = Self.interfaces(new)
        return (hasUnits ? [.command(reload)] : [])
            + Array(Set(changed.compactMap { Self.interface(of: $0) })).sortedByBytes().map { name in
                var goal = SupplicantGoal(interface: name, file: Self.file(name).path ?? "")
                goal.networks = present.first { $0.name == name }?.networks.count ?? 0
                goal.waits = old != nil
                goal.unit = unit == nil ? nil : Self.unitName(name)
                goal.link = Self.link(name).path ?? ""
                return .interface(InterfaceAction(name, .reconfigure(goal)))
            }
    }
}

extension InterfaceSettings {
    /// The networks in the format of wpa_supplicant.conf(5).
    fileprivate var supplicantText: String {
        var text = """
            \(WrittenByCleat.mark)\(Self.path)/\(name)/\(WifiNetwork.key).
            ctrl_interface=\(SupplicantGoal.directory)
            update_config=0

            """
        for network in networks {
            // A name in hexadecimal digits needs no escapes.
            text += "\nnetwork={\n\tssid=\(Hexadecimal.text(of: (network.ssid ?? "").utf8))\n"
            text += "\tid_str=\"\(SupplicantGoal.mark)\"\n"
            if network.isHidden == true { text += "\tscan_ssid=1\n" }
            if let priority = network.priority { text += "\tpriority=\(priority)\n" }
            let passphrase = network.passphrase ?? ""
            switch network.security {
            case .open: text += "\tkey_mgmt=NONE\n"
            // Characters up to the last quotation mark are the passphrase.
            case .wpa2: text += "\tkey_mgmt=WPA-PSK\n\tpsk=\(network.hasRawKey ? passphrase : "\"\(passphrase)\"")\n"
            case .wpa3: text += "\tkey_mgmt=SAE\n\tieee80211w=2\n\tsae_password=\"\(passphrase)\"\n"
            }
            text += "}\n"
        }
        return text
    }
}
