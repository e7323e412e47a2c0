internal import CleatJSON
internal import CleatSettings

extension InterfaceSettings {
    /// The keys and values of all settings that are set, for an interface that others have configured so.
    ///
    /// `dhcp` is omitted where the addresses imply it.
    var values: [(key: String, value: JSONValue)] {
        var values: [(String, JSONValue)] = []
        if usesDHCP || addresses == nil { values.append(("dhcp", .bool(usesDHCP))) }
        if let addresses { values.append(("addresses", .array(addresses.map { .string("\($0)") }))) }
        if let gateway { values.append(("gateway", .string("\(gateway)"))) }
        if let dns { values.append(("dns", .array(dns.map { .string("\($0)") }))) }
        if let mtu { values.append(("mtu", .integer(Int64(mtu)))) }
        if let metric { values.append(("metric", .integer(Int64(metric)))) }
        if let search { values.append(("search", .array(search.map { .string($0) }))) }
        if let ipv6 { values.append(("ipv6", .string(ipv6.rawValue))) }
        if let privacy { values.append(("privacy", .bool(privacy))) }
        if let routes { values.append(("routes", .array(routes.map(\.value)))) }
        return values + links.flatMap(\.values) + wifi.flatMap(\.values)
    }

    /// Returns the path of a setting with one of the keys of ``values``.
    static func path(_ name: String, _ key: String) -> SettingPath? {
        key.split(separator: "/").reduce(try? path.appending(name)) { try? $0?.appending(String($1)) }
    }

    /// Returns true if an interface that others have configured has the same settings, passphrases excepted.
    func isSame(as interface: InterfaceSettings) -> Bool {
        usesDHCP == interface.usesDHCP && enabled != false && interface.enabled != false
            && Set(addresses ?? []) == Set(interface.addresses ?? []) && gateway == interface.gateway
            && (dns ?? []) == (interface.dns ?? []) && mtu == interface.mtu
            && (search ?? []) == (interface.search ?? []) && metric == interface.metric && ipv6 == interface.ipv6
            && privacy == interface.privacy && wifi.map(\.ssid) == interface.wifi.map(\.ssid)
            && wifi.map(\.security) == interface.wifi.map(\.security)
            && Set(routes ?? []) == Set(interface.routes ?? []) && links == interface.links
            && controllers == interface.controllers
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
