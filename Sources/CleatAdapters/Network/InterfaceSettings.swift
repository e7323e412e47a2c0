internal import CleatJSON
internal import CleatSettings

/// What is set of one interface; what nobody has set is nil.
struct InterfaceSettings: Hashable {
    static let path = BuiltIn.path("network/interfaces")

    /// The interface's name.
    let name: String
    /// The first setting of it.
    let path: SettingPath
    var enabled: Bool?
    var dhcp: Bool?
    var addresses: [InterfaceAddress]?
    var gateway: InternetAddress?
    var dns: [InternetAddress]?
    var mtu: UInt32?

    /// The interfaces of which something is set, in the order of their paths.
    static func all(in settings: LayeredSettings) -> [InterfaceSettings] {
        var found: [InterfaceSettings] = []
        for setting in settings.inForce(under: path) {
            guard let parent = setting.path.parent, parent.parent == path, let value = setting.value else { continue }
            if found.last?.name != parent.name {
                found.append(InterfaceSettings(name: parent.name, path: setting.path))
            }
            found[found.count - 1].take(value, setting.path.name)
        }
        return found
    }

    private init(name: String, path: SettingPath) {
        self.name = name
        self.path = path
    }

    private mutating func take(_ value: JSONValue, _ key: String) {
        switch key {
        case "enabled": enabled = value.boolValue
        case "dhcp": dhcp = value.boolValue
        case "addresses": addresses = value.arrayValue?.compactMap { $0.stringValue.flatMap { InterfaceAddress($0) } }
        case "gateway": gateway = value.stringValue.flatMap { InternetAddress($0) }
        case "dns": dns = value.arrayValue?.compactMap { $0.stringValue.flatMap { InternetAddress($0) } }
        case "mtu": mtu = value.integerValue.flatMap { UInt32(exactly: $0) }
        default: break
        }
    }

    /// The path of one setting of it.
    func path(_ key: StaticString) -> SettingPath { (try? path.parent?.appending(key.description)) ?? path }

    /// Refuses what cannot be, whoever has charge of the interface.
    func check(_ desired: inout DesiredState) {
        let isIPv6 = (addresses ?? []).contains { $0.address.bits == 128 } || gateway?.bits == 128
        // RFC 8200, section 5.
        if let mtu, mtu < 1280, isIPv6 {
            desired.refuse(path("mtu"), "is \(mtu), but IPv6 needs 1280; set it to at least 1280, or leave IPv6 out")
        }
        if let gateway, let addresses, !gateway.isLinkLocal, dhcp != true,
            !addresses.contains(where: { $0.reaches(gateway) && $0.address != gateway })
        {
            desired.refuse(
                path("gateway"),
                "is \(gateway), which none of \(name)'s addresses reaches; set an address in the gateway's network")
        }
    }
}
