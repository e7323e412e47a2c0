internal import CleatIO
internal import CleatJSON
internal import CleatOrder
internal import CleatSettings

/// The settings of an interface that are equal to a profile of others.
extension ConnectionProfile {
    /// The keys that do not change the configuration of the interface, or only by some values.
    private static let neutral: [String: [String: Set<String>]] = [
        "connection": [
            "id": [], "uuid": [], "type": [], "interface-name": [], "timestamp": [], "autoconnect": ["true"],
            "autoconnect-priority": [], "autoconnect-retries": [], "wait-device-timeout": [],
        ],
        "ethernet": ["mac-address": [], "mtu": [], "auto-negotiate": ["true"], "wake-on-lan": ["0", "1"]],
        "wifi": [
            "ssid": [], "mode": ["infrastructure"], "hidden": [], "mac-address": [], "mtu": [], "seen-bssids": [],
            "security": [],
        ],
        "wifi-security": [
            "key-mgmt": ["wpa-psk", "sae"], "psk": [], "psk-flags": ["0"], "auth-alg": ["open"], "wep-tx-keyidx": ["0"],
        ],
        "ipv4": [
            "method": [], "gateway": [], "dns": [], "dns-search": [], "route-metric": [], "may-fail": ["true"],
            "dhcp-timeout": [],
        ],
        "ipv6": [
            "method": [], "gateway": [], "dns": [], "dns-search": [], "route-metric": [], "may-fail": ["true"],
            "dhcp-timeout": [], "ra-timeout": [], "addr-gen-mode": [], "ip6-privacy": ["-1", "0", "2"],
        ],
    ]

    /// Returns true if the settings of an interface say the same as the profile.
    func isEqual(to interface: InterfaceSettings) -> Bool {
        let (found, obstacles) = contents(for: interface)
        return obstacles.isEmpty && found.isSame(as: interface)
    }

    /// Returns one difference for each setting that the profile has, or only those that settings cannot express.
    func differences(of name: String) -> [InterfaceDifference] {
        let (found, obstacles) = contents(for: InterfaceSettings(name))
        guard obstacles.isEmpty else {
            return obstacles.map {
                InterfaceDifference(
                    words: "is configured by \(words)", setting: try? InterfaceState.path.appending(name),
                    adoption: .impossible(
                        "is configured by \(words), which has \($0). Settings cannot express that: change it with "
                            + "nmcli connection modify “\(self.name)”"))
            }
        }
        return found.values.map { key, value in
            InterfaceDifference(
                words: "is configured by \(words)", setting: InterfaceSettings.path(name, key), adoption: .value(value))
        }
    }

    /// Returns the profile as settings, and the parts that settings cannot express: `ipv4.method=shared`.
    func contents(for interface: InterfaceSettings) -> (InterfaceSettings, obstacles: [String]) {
        var found = InterfaceSettings(interface.name)
        var obstacles: [String] = []
        switch type {
        case "ethernet": break
        case "wifi": obstacles += take(&found.wifi)
        default: obstacles.append("connection.type=\(type)")
        }
        found.mtu = (value("ethernet", "mtu") ?? value("wifi", "mtu")).flatMap { UInt32($0) }
        if found.mtu == 0 { found.mtu = nil }
        for (section, bits) in [("ipv4", 32), ("ipv6", 128)] {
            obstacles += take(section, bits, &found)
        }
        let usesIPv4 = found.ip.dhcp == true || (found.ip.addresses ?? []).contains { $0.address.bits == 32 }
        // Unset means the same where IPv4 is used.
        if usesIPv4, found.ip.ipv6 == .automatic { found.ip.ipv6 = nil }
        let metrics = ["ipv4", "ipv6"].map { value($0, "route-metric").flatMap { UInt32($0) } }
        if metrics[0] == metrics[1] || metrics[1] == nil && found.ip.ipv6 == .off || metrics[0] == nil && !usesIPv4 {
            found.ip.metric = metrics[0] ?? metrics[1]
        } else {
            obstacles.append("ipv4.route-metric other than ipv6.route-metric")
        }
        // Cleat's own profile would not be preferred.
        if let priority = value("connection", "autoconnect-priority").flatMap({ Int($0) }), priority >= 900 {
            obstacles.append("connection.autoconnect-priority=\(priority)")
        }
        // Without the key, the system's own default counts.
        let privacy = ["0": false, "2": true]
        found.ip.privacy = value("ipv6", "ip6-privacy").flatMap { privacy[$0] }
        for (section, values) in sections {
            // The value may be a secret.
            for (key, value) in values where !value.isEmpty && !isNeutral(section, key, value) {
                obstacles.append("\(section).\(key)")
            }
        }
        return (found, obstacles.sortedByBytes())
    }

    /// Adds the Wi-Fi network.
    ///
    /// - Returns: the parts that settings cannot express.
    private func take(_ networks: inout [WifiNetwork]) -> [String] {
        guard let ssid = value("wifi", "ssid").flatMap(Self.ssid), (1...32).contains(ssid.utf8.count) else {
            return ["wifi.ssid"]
        }
        let words = ssid.utf8.map { WifiNetwork.isPlain($0) ? String(Unicode.Scalar($0)) : "-" }.joined()
        var network = WifiNetwork(words.hasPrefix("-") || words.hasPrefix("_") ? "network" : words)
        network.ssid = ssid
        if value("wifi", "hidden") == "true" { network.isHidden = true }
        networks.append(network)
        guard let method = value("wifi-security", "key-mgmt") else {
            networks[networks.count - 1].security = .open
            return sections["wifi-security"] == nil ? [] : ["wifi-security.key-mgmt"]
        }
        if method == "sae" { networks[networks.count - 1].security = .wpa3 }
        // It may be stored by the desktop's own service instead.
        guard let text = value("wifi-security", "psk"), let passphrase = Self.unescaped(text) else {
            return ["wifi-security without a passphrase"]
        }
        networks[networks.count - 1].passphrase = passphrase
        return []
    }

    /// Returns the name of a network, which is written as a text, or as the numbers of its bytes.
    private static func ssid(_ text: String) -> String? {
        let numbers = text.split(separator: ";", omittingEmptySubsequences: false)
        if text.hasSuffix(";"), numbers.dropLast().allSatisfy({ UInt8($0) != nil }) {
            return String(validating: numbers.dropLast().compactMap { UInt8($0) }, as: UTF8.self)
        }
        return unescaped(text)
    }

    /// Returns a value without the escapes of GLib's key files; nil if one is invalid.
    private static func unescaped(_ text: String) -> String? {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "s": result.append(" ")
            case "\\": result.append("\\")
            case ";": result.append(";")
            default: return nil
            }
        }
        return result
    }

    /// The type of the interface: `ethernet`, `wifi`.
    private var type: String { Self.name(ofSection: (value("connection", "type") ?? "ethernet")[...]) }

    private func isNeutral(_ section: String, _ key: String, _ value: String) -> Bool {
        // Data of other programs, and of NetworkManager itself.
        if section == "user" || section == ".nmmeta" { return true }
        if section.hasPrefix("wifi"), type != "wifi" { return false }
        if let values = Self.neutral[section]?[key] { return values.isEmpty || values.contains(value) }
        return section.hasPrefix("ipv")
            && (Self.number(of: key, "address") != nil || Self.number(of: key, "route") != nil)
    }

    /// Returns the number in a key such as `address1`; nil for another key.
    private static func number(of key: String, _ prefix: String) -> Int? {
        key.hasPrefix(prefix) ? Int(key.dropFirst(prefix.utf8.count)) : nil
    }

    /// Adds the addresses, routes and name servers of one family.
    ///
    /// - Returns: the parts that settings cannot express.
    private func take(_ section: String, _ bits: Int, _ found: inout InterfaceSettings) -> [String] {
        var obstacles: [String] = []
        let values = sections[section] ?? [:]
        func numbered(_ prefix: String) -> [(key: String, parts: [String])] {
            values.compactMap { key, value in
                Self.number(of: key, prefix).map { number in
                    (number, key, value.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) })
                }
            }.ordered { $0.0 < $1.0 }.map { ($0.1, $0.2) }
        }
        func take(gateway text: String, _ key: String) {
            guard let gateway = InternetAddress(text), gateway.bits == bits,
                found.ip.gateway == nil || found.ip.gateway == gateway
            else { return obstacles.append("\(section).\(key)=\(text)") }
            found.ip.gateway = gateway
        }
        let method = value(section, "method") ?? "auto"
        switch (section, method) {
        case ("ipv4", "auto"): found.ip.dhcp = true
        case ("ipv4", "manual"), ("ipv4", "disabled"): found.ip.dhcp = false
        // With the method “ignore”, the kernel itself accepts router advertisements.
        case ("ipv6", "auto"), ("ipv6", "ignore"): found.ip.ipv6 = .automatic
        case ("ipv6", "manual"), ("ipv6", "link-local"): found.ip.ipv6 = .fixed
        case ("ipv6", "disabled"): found.ip.ipv6 = .off
        default: obstacles.append("\(section).method=\(method)")
        }
        for (key, parts) in numbered("address") {
            guard let first = parts.first, let address = InterfaceAddress(first), address.address.bits == bits,
                parts.count <= 2
            else {
                obstacles.append("\(section).\(key)=\(parts.joined(separator: ","))")
                continue
            }
            found.ip.addresses = (found.ip.addresses ?? []) + [address]
            if parts.count == 2 { take(gateway: parts[1], key) }
        }
        if let gateway = value(section, "gateway") { take(gateway: gateway, "gateway") }
        for server in (value(section, "dns") ?? "").split(whereSeparator: { $0 == ";" || $0 == "," }) {
            guard let address = InternetAddress(server), address.bits == bits else {
                obstacles.append("\(section).dns=\(server)")
                continue
            }
            found.resolver.dns = (found.resolver.dns ?? []) + [address]
        }
        for domain in (value(section, "dns-search") ?? "").split(whereSeparator: { $0 == ";" || $0 == "," }) {
            let domain = String(domain)
            // NetworkManager uses those of both families alike.
            if found.resolver.search?.contains(domain) != true {
                found.resolver.search = (found.resolver.search ?? []) + [domain]
            }
        }
        for (key, parts) in numbered("route") {
            let hop = parts.count > 1 ? InternetAddress(parts[1]) : nil
            let metric = parts.count > 2 ? UInt32(parts[2]) : nil
            guard let first = parts.first, let destination = InterfaceAddress(first), parts.count <= 3,
                parts.count < 2 || hop != nil, parts.count < 3 || metric != nil
            else {
                obstacles.append("\(section).\(key)=\(parts.joined(separator: ","))")
                continue
            }
            let isOnLink = hop.map { !$0.bytes.contains { $0 != 0 } } ?? true
            found.ip.routes =
                (found.ip.routes ?? []) + [InterfaceRoute(destination, gateway: isOnLink ? nil : hop, metric: metric)]
        }
        return obstacles
    }
}
