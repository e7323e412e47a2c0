internal import CleatJSON
internal import CleatSettings

extension InterfaceSettings {
    /// The keys and values of all settings that are set, for an interface that others have configured so.
    ///
    /// `dhcp` is omitted where the addresses imply it.
    var values: [(key: String, value: JSONValue)] {
        var values: [(String, JSONValue)] = []
        if usesDHCP || ip.addresses == nil { values.append(("dhcp", .bool(usesDHCP))) }
        if let addresses = ip.addresses { values.append(("addresses", .array(addresses.map { .string("\($0)") }))) }
        if let gateway = ip.gateway { values.append(("gateway", .string("\(gateway)"))) }
        if let dns = resolver.dns { values.append(("dns", .array(dns.map { .string("\($0)") }))) }
        if let mtu { values.append(("mtu", .integer(Int64(mtu)))) }
        if let metric = ip.metric { values.append(("metric", .integer(Int64(metric)))) }
        if let search = resolver.search { values.append(("search", .array(search.map { .string($0) }))) }
        if let ipv6 = ip.ipv6 { values.append(("ipv6", .string(ipv6.rawValue))) }
        if let privacy = ip.privacy { values.append(("privacy", .bool(privacy))) }
        if let routes = ip.routes { values.append(("routes", .array(routes.map(\.value)))) }
        return values + membership.links.flatMap(\.values) + wifi.flatMap(\.values)
    }

    /// Returns the path of a setting with one of the keys of ``values``.
    static func path(_ name: String, _ key: String) -> SettingPath? { InterfaceState.path(name, key) }

    /// Returns true if an interface that others have configured has the same settings, passphrases excepted.
    func isSame(as interface: InterfaceSettings) -> Bool {
        usesDHCP == interface.usesDHCP && enabled != false && interface.enabled != false
            && Set(ip.addresses ?? []) == Set(interface.ip.addresses ?? []) && ip.gateway == interface.ip.gateway
            && (resolver.dns ?? []) == (interface.resolver.dns ?? []) && mtu == interface.mtu
            && (resolver.search ?? []) == (interface.resolver.search ?? []) && ip.metric == interface.ip.metric
            && ip.ipv6 == interface.ip.ipv6
            && ip.privacy == interface.ip.privacy && wifi.map(\.ssid) == interface.wifi.map(\.ssid)
            && wifi.map(\.security) == interface.wifi.map(\.security)
            && Set(ip.routes ?? []) == Set(interface.ip.routes ?? []) && membership.links == interface.membership.links
            && membership.controllers == interface.membership.controllers
    }

    /// Returns true if a setting of the interface is in force.
    static func isSet(_ name: String, _ settings: LayeredSettings) -> Bool {
        guard let path = try? path.appending(name) else { return false }
        return settings.firstInForce(under: path) != nil
    }

    /// Adds all settings of the interface.
    func add(to found: inout ImportedSettings, from source: String) {
        for (key, value) in values {
            found.add(Self.path(name, key), value, from: source)
        }
    }
}
