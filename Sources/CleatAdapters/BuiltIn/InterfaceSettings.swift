internal import CleatIO
internal import CleatJSON
internal import CleatSettings

/// The settings of one interface; unset ones are nil.
struct InterfaceSettings: Equatable {
    static let path = InterfaceState.path

    /// The interface's name.
    let name: String
    /// The path of the interface's first setting.
    let path: SettingPath
    var enabled: Bool?
    var mtu: UInt32?
    /// Its addresses and routes.
    var ip = Addressing()
    /// Its name servers.
    var resolver = Resolver()
    /// The Wi-Fi networks, by their names.
    var wifi: [WifiNetwork] = []
    /// Its virtual links, and those of which it is a member.
    var membership = Membership()

    /// The addresses and routes of an interface; unset settings are nil.
    struct Addressing: Equatable {
        var dhcp: Bool?
        var addresses: [InterfaceAddress]?
        var gateway: InternetAddress?
        var routes: [InterfaceRoute]?
        /// The metric of the default routes: that of the gateway, those of DHCP, and with systemd-networkd and
        /// NetworkManager those of router advertisements.
        var metric: UInt32?
        var ipv6: IPv6Use?
        /// True if temporary IPv6 addresses are preferred (RFC 8981).
        var privacy: Bool?
        /// The former addresses that it keeps while the change is on trial.
        var kept: [InterfaceAddress] = []
    }

    /// The name servers and search domains of an interface; unset settings are nil.
    struct Resolver: Equatable {
        var dns: [InternetAddress]?
        var search: [String]?
    }

    /// Returns the interfaces that have settings, in the order of their paths.
    static func all(in settings: LayeredSettings, keeping kept: KeptAddresses = [:]) -> [InterfaceSettings] {
        var found: [InterfaceSettings] = []
        for setting in settings.inForce(under: path) {
            let segments = setting.path.segments
            guard segments.count > 3, let value = setting.value else { continue }
            if found.last?.name != segments[2] {
                var first = setting.path
                while first.segments.count > 4, let parent = first.parent { first = parent }
                found.append(InterfaceSettings(name: segments[2], path: first))
            }
            found[found.count - 1].take(value, segments.dropFirst(3))
        }
        connect(&found)
        for index in found.indices where found[index].enabled != false {
            let addresses = found[index].ip.addresses ?? []
            if !found[index].membership.controllers.isEmpty { continue }
            found[index].ip.kept = (kept[found[index].name] ?? []).filter { kept in
                !addresses.contains { $0.address == kept.address }
                    // Without IPv6 no such address can be kept.
                    && (found[index].ip.ipv6 != .off || kept.address.bits == 32)
            }
        }
        return found
    }

    /// Creates an interface without settings.
    init(_ name: String) {
        self.init(name: name, path: (try? Self.path.appending(name)) ?? Self.path)
    }

    init(name: String, path: SettingPath) {
        self.name = name
        self.path = path
    }

    private mutating func take(_ value: JSONValue, _ keys: ArraySlice<String>) {
        if keys.count == 2, let type = keys.first, let key = keys.last, let link = VirtualLink(type: type) {
            if membership.links.last?.type != type { membership.links.append(link) }
            return membership.links[membership.links.count - 1].take(value, key)
        }
        if keys.count == 3, let key = keys.last {
            let name = keys[keys.startIndex + 1]
            if wifi.last?.name != name { wifi.append(WifiNetwork(name)) }
            return wifi[wifi.count - 1].take(value, key)
        }
        switch keys.first {
        case "enabled": enabled = value.boolValue
        case "dhcp": ip.dhcp = value.boolValue
        case "addresses":
            ip.addresses = value.arrayValue?.compactMap { $0.stringValue.flatMap { InterfaceAddress($0) } }
        case "gateway": ip.gateway = value.stringValue.flatMap { InternetAddress($0) }
        case "dns": resolver.dns = value.arrayValue?.compactMap { $0.stringValue.flatMap { InternetAddress($0) } }
        case "mtu": mtu = value.integerValue.flatMap { UInt32(exactly: $0) }
        case "metric": ip.metric = value.integerValue.flatMap { UInt32(exactly: $0) }
        case "search": resolver.search = value.arrayValue?.compactMap(\.stringValue)
        case "ipv6": ip.ipv6 = value.stringValue.flatMap(IPv6Use.init)
        case "privacy": ip.privacy = value.boolValue
        case "routes": ip.routes = value.arrayValue?.compactMap { InterfaceRoute($0) }
        default: break
        }
    }

    /// Returns the path of one setting of the interface.
    func path(_ key: StaticString) -> SettingPath { (try? path.parent?.appending(key.description)) ?? path }

    /// True if the name has only ASCII letters, digits, `.`, `-` and `_`, which are literal in every service's files.
    var hasPlainName: Bool { name.utf8.allSatisfy(Self.isPlain) }

    /// Returns true for an ASCII letter, a digit, `.`, `-` and `_`.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Wants the present MTU and IPv6 parameters to be captured: a network service does not reset them when its file no
    /// longer names them.
    func keepKernelValues(_ desired: inout DesiredState) {
        if mtu != nil { desired.want(.attribute("/sys/class/net/\(name)/mtu"), .kept, for: path("mtu")) }
        for expectation in kernelValues {
            desired.want(.attribute(expectation.path), .kept, for: path(expectation.key))
        }
        if let accepted { desired.want(.attribute(accepted.path), .kept, for: path("ipv6")) }
    }

    /// True if DHCP is used: as it is set, else if there are no fixed addresses, and it is not a mere member.
    var usesDHCP: Bool {
        ip.dhcp ?? (ip.addresses?.isEmpty != false && membership.controllers.isEmpty && !membership.isImplied)
    }

    /// Returns the state that the kernel must show once a service has configured the interface.
    ///
    /// - Parameters:
    ///   - service: the service's name, for messages.
    ///   - files: the files that the service reads.
    ///   - needs: the sign that the service runs.
    ///   - isTakenUpLater: true if the service configures the interface after its program has returned, and waits for a
    ///     carrier.
    ///   - choosesMetrics: true if the service chooses the metric of a route without one.
    /// - Returns: the minimum state of the interface.
    func configured(
        by service: String, files: [Resource], needs: RunningSign? = nil, isTakenUpLater: Bool = false,
        choosesMetrics: Bool = false
    ) -> ConfiguredInterface {
        // A gateway that only a leased address reaches is available with the lease, at an unknown time.
        func isReached(_ gateway: InternetAddress?) -> Bool {
            guard usesDHCP, let gateway else { return true }
            return (ip.addresses ?? []).contains { $0.reaches(gateway) }
        }
        return ConfiguredInterface(
            name: name,
            state: InterfaceState(
                isUp: enabled != false, mtu: mtu, addresses: ip.addresses,
                gateway: isReached(unrankedGateway) ? unrankedGateway : nil,
                routes: routesInOrder.filter { isReached($0.gateway) }),
            files: files, path: path, service: service, needs: needs, isTakenUpLater: isTakenUpLater,
            usesDHCP: usesDHCP,
            choosesMetrics: choosesMetrics, kernelValues: enabled == false ? [] : kernelValues,
            link: link, controller: membership.controllers.first?.name)
    }

    /// Returns the configured interfaces whose addresses or DHCP setting change.
    static func readdressed(from old: LayeredSettings, to new: LayeredSettings) -> [String] {
        let before = all(in: old)
        return all(in: new).filter { interface in
            let former = before.first { $0.name == interface.name }
            return former?.ip.addresses != interface.ip.addresses || former?.ip.dhcp != interface.ip.dhcp
        }.map(\.name)
    }

    /// Describes the effects of a change on addresses and routes of interfaces.
    ///
    /// - Parameters:
    ///   - old: the settings before the change.
    ///   - new: the settings after the change.
    ///   - present: returns the present addresses of an interface; nil if they are unknown.
    /// - Returns: one line for each effect.
    static func effects(
        from old: LayeredSettings, to new: LayeredSettings, present: (String) -> String?
    ) -> [String] {
        let (before, after) = (all(in: old), all(in: new))
        var effects: [String] = []
        for name in Array(Set((before + after).map(\.name))).sortedByBytes() {
            let (was, now) = (before.first { $0.name == name }, after.first { $0.name == name })
            if let now, now.networks.map(\.ssid) != (was?.networks ?? []).map(\.ssid) {
                let names = now.networks.compactMap { $0.ssid.map { "“\($0)”" } }
                effects.append(
                    "\(name) joins \(names.isEmpty ? "no Wi-Fi network" : "the Wi-Fi \(names.joined(separator: ", or "))")"
                )
            }
            if now?.enabled == false, was?.enabled != false {
                effects.append("\(name) is switched off")
            } else if was?.addressText != now?.addressText {
                let former = was?.addressText ?? present(name) ?? "its present address"
                effects.append("\(name): \(former) -> \(now?.addressText ?? "its address before Cleat")")
            }
            if let controller = now?.membership.controllers.first, controller != was?.membership.controllers.first {
                effects.append("\(name) becomes a port of \(controller.name), and has no addresses of its own")
            }
            effects += routeEffects(name, from: was, to: now)
        }
        return effects
    }

    /// The fixed addresses or DHCP as text; nil if neither is set.
    private var addressText: String? {
        if let addresses = ip.addresses, !addresses.isEmpty {
            return addresses.map(\.description).joined(separator: ", ")
        }
        return ip.dhcp == true ? "what DHCP gives" : ip.addresses.map { _ in "no address" }
    }

    /// Refuses invalid settings, for any network service.
    func check(_ desired: inout DesiredState) {
        let isIPv6 =
            (ip.addresses ?? []).contains { $0.address.bits == 128 } || ip.gateway?.bits == 128
            || (ip.routes ?? []).contains { $0.destination.address.bits == 128 }
        // RFC 8200, section 5.
        if let mtu, mtu < 1280, isIPv6 {
            desired.refuse(
                path("mtu"), "is \(mtu), but IPv6 needs 1280; set it to at least 1280, or remove the IPv6 settings")
        }
        if ip.ipv6 == .off, isIPv6 || (resolver.dns ?? []).contains(where: { $0.bits == 128 }) {
            desired.refuse(path("ipv6"), "is off, but \(name) has IPv6 settings; remove them, or set it to static")
        }
        if ip.privacy == true, ip.ipv6 == .off || ip.ipv6 == .fixed {
            desired.refuse(
                path("privacy"),
                "needs addresses of router advertisements, which ipv6=\(ip.ipv6?.rawValue ?? "") excludes; unset one of the two"
            )
        }
        if let gateway = ip.gateway, let addresses = ip.addresses, !gateway.isLinkLocal, ip.dhcp != true,
            !addresses.contains(where: { $0.reaches(gateway) && $0.address != gateway })
        {
            desired.refuse(
                path("gateway"),
                "is \(gateway), which none of \(name)'s addresses reaches; set an address in the gateway's network")
        }
        checkRoutes(&desired)
        checkLinks(&desired)
        for network in wifi { network.check(of: self, &desired) }
    }
}
