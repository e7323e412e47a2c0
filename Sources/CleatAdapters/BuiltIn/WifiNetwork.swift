internal import CleatJSON
internal import CleatOrder
internal import CleatSettings

/// The settings of a Wi-Fi network that an interface joins; unset ones are nil.
struct WifiNetwork: Equatable {
    /// The way in which the access point and the board authenticate each other.
    enum Security: String {
        /// None: frames are not encrypted.
        case open
        /// WPA2 with a passphrase (IEEE 802.11, RSNA with PSK).
        case wpa2
        /// WPA3 with a passphrase (SAE); management frames are protected.
        case wpa3
    }

    /// The key of the settings below an interface.
    static let key: StaticString = "wifi"

    /// The name of the network's settings.
    private(set) var name: String
    var ssid: String?
    var security = Security.wpa2
    var passphrase: String?
    /// True if the access point does not announce the SSID, so that the board asks for it.
    var isHidden: Bool?
    /// The network with the greatest is preferred.
    var priority: Int?

    /// Creates a network without settings.
    init(_ name: String) { self.name = name }

    /// Takes the value of one setting.
    mutating func take(_ value: JSONValue, _ key: String) {
        switch key {
        case "ssid": ssid = value.stringValue
        case "security": security = value.stringValue.flatMap(Security.init) ?? .wpa2
        case "passphrase": passphrase = value.stringValue
        case "hidden": isHidden = value.boolValue
        case "priority": priority = value.integerValue.flatMap { Int(exactly: $0) }
        default: break
        }
    }

    /// The keys below the interface, and the values of all settings that are set.
    var values: [(key: String, value: JSONValue)] {
        var values: [(String, JSONValue)] = []
        if let ssid { values.append(("ssid", .string(ssid))) }
        if security != .wpa2 { values.append(("security", .string(security.rawValue))) }
        if let passphrase { values.append(("passphrase", .string(passphrase))) }
        if let isHidden { values.append(("hidden", .bool(isHidden))) }
        if let priority { values.append(("priority", .integer(Int64(priority)))) }
        return values.map { ("\(Self.key)/\(name)/\($0.0)", $0.1) }
    }

    /// Returns the same network with another name of its settings.
    func named(_ name: String) -> WifiNetwork {
        var network = self
        network.name = name
        return network
    }

    /// Returns true for a byte that a name of a network's settings may have at any place.
    static func isPlain(_ byte: UInt8) -> Bool {
        InterfaceSettings.isPlain(byte) && byte != UInt8(ascii: ".")
    }

    /// True if the passphrase is the 256 bits that are made of one, in hexadecimal digits.
    var hasRawKey: Bool { passphrase?.utf8.count == 64 }

    /// Refuses networks that cannot be joined.
    func check(of interface: InterfaceSettings, _ desired: inout DesiredState) {
        let path = interface.path(of: self)
        func refuse(_ key: String, _ reason: String) {
            desired.refuse((try? path.appending(key)) ?? path, reason)
        }
        // IEEE 802.11, 9.4.2.2.
        if let ssid, !(1...32).contains(ssid.utf8.count) {
            refuse("ssid", "has \(ssid.utf8.count) bytes, and the name of a network has 1 to 32; shorten it")
        } else if ssid == nil {
            refuse("ssid", "is not set, so the network has no name; set it, or unset \(path)")
        }
        switch (security, passphrase) {
        case (.open, _?):
            refuse("passphrase", "is for a network with security=open, which has none; unset one of the two")
        case (.wpa2, nil), (.wpa3, nil):
            refuse("passphrase", "is not set; set it, or set security=open for a network without one")
        case (.wpa3, _?) where hasRawKey:
            refuse("passphrase", "has 64 digits, which only WPA2 takes; set the passphrase itself")
        default: break
        }
    }
}

extension InterfaceSettings {
    /// The networks in the order in which they are tried.
    var networks: [WifiNetwork] {
        // Equal ones stay in the order of their names.
        wifi.enumerated().ordered { one, other in
            let (first, second) = (one.element.priority ?? 0, other.element.priority ?? 0)
            return first == second ? one.offset < other.offset : first > second
        }.map(\.element)
    }

    /// Returns the path of a network's settings.
    func path(of network: WifiNetwork) -> SettingPath {
        (try? path(WifiNetwork.key).appending(network.name)) ?? path
    }
}
