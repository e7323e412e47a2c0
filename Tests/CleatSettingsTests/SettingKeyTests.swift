import CleatJSON
import Testing

@testable import CleatSettings

extension SettingKey<String?> {
    fileprivate static var splash: Self { .init("display/splash") }
}

extension SettingKey<Double> {
    fileprivate static var volume: Self { .init("audio/volume", default: 0.5) }
}

@Suite struct SettingKeyTests {
    private func settings(_ pairs: [(String, JSONValue)] = []) throws -> EditableSettings {
        let schema = try Schema(
            json: [
                "type": "object",
                "properties": [
                    "display": [
                        "type": "object", "properties": ["splash": ["type": "string", "default": "logo.png"]],
                    ],
                    "audio": ["type": "object", "properties": ["volume": ["type": "number"]]],
                    "time": Schema.builtIn.json["properties"]?["time"] ?? .null,
                    "system": Schema.builtIn.json["properties"]?["system"] ?? .null,
                    "network": Schema.builtIn.json["properties"]?["network"] ?? .null,
                ],
            ])
        let tree = SettingsTree(try pairs.map { (try SettingPath($0.0), $0.1) })
        return EditableSettings(LayeredSettings(schema: schema, committed: tree))
    }

    private func pairs(_ settings: EditableSettings) throws -> [String] {
        try settings.changeSet().changes.map { "\($0.path)=\($0.value?.description ?? "unset")" }
    }

    @Test func readsTypedValuesAndDefaults() throws {
        let fresh = try settings()
        #expect(fresh[.hostname] == "board")
        #expect(fresh[.ntpServers] == [])
        #expect(fresh[.volume] == 0.5)
        #expect(fresh[.splash] == nil)
        #expect(!fresh.isSet(.hostname))
        let set = try settings([("system/hostname", "gw"), ("audio/volume", 1), ("display/splash", "x.png")])
        #expect(set[.hostname].description == "gw")
        #expect(set[.volume] == 1)
        #expect(set[.splash] == "x.png")
        #expect(set.isSet(.hostname))
        #expect(try pairs(set) == [])
    }

    @Test func editsBecomeOneChangeSet() throws {
        var settings = try settings([("time/ntp/servers", ["a"]), ("time/ntp/enabled", false)])
        settings[.ntpServers].append("ntp.example.net")
        settings[.volume] += 0.25
        settings[.splash] ?= "boot.png"
        settings[.splash] ?= "other.png"
        settings[.hostname] = "gw"
        settings.unset(.ntpEnabled)
        #expect(settings[.ntpServers] == ["a", "ntp.example.net"])
        #expect(settings[.splash] == "boot.png")
        #expect(settings[.ntpEnabled] == true)
        #expect(
            try pairs(settings) == [
                "audio/volume=0.75", "display/splash=\"boot.png\"", "system/hostname=\"gw\"", "time/ntp/enabled=unset",
                "time/ntp/servers=[\"a\",\"ntp.example.net\"]",
            ])
    }

    @Test func whatEndsWhereItBeganIsNoChange() throws {
        var settings = try settings([("system/hostname", "gw"), ("display/splash", "x.png")])
        settings[.hostname] = "other"
        settings[.hostname] = "gw"
        settings[.splash] ?= "y.png"
        settings[.volume] = 1
        settings.unset(.volume)
        #expect(try pairs(settings) == [])
        settings[.splash] = nil
        #expect(try pairs(settings) == ["display/splash=unset"])
    }

    @Test func settingTheDefaultMakesThePathManaged() throws {
        var settings = try settings()
        settings[.hostname] = "board"
        #expect(try pairs(settings) == ["system/hostname=\"board\""])
    }

    @Test func structsChangeOnlyTheMembersThatDiffer() throws {
        var settings = try settings([("network/interfaces/eth0/mtu", 1400), ("network/interfaces/eth0/future", 1)])
        let key = try SettingKey.networkInterface("eth0")
        #expect(settings[key].mtu == 1400)
        #expect(settings[key].dhcp)
        settings[key].dhcp = false
        settings[key].mtu = nil
        settings[key].addresses.append("192.0.2.1/24")
        #expect(
            try pairs(settings) == [
                "network/interfaces/eth0/addresses=[\"192.0.2.1/24\"]", "network/interfaces/eth0/dhcp=false",
                "network/interfaces/eth0/mtu=unset",
            ])
        settings[.networkInterfaces]["eth1"] = NetworkInterfaceSettings()
        settings[.networkInterfaces]["eth0"] = nil
        #expect(settings[.networkInterfaces].keys.sorted() == ["eth1"])
        #expect(throws: SettingPathError.self) { try SettingKey.networkInterface("..") }
    }

    @Test func anEntryWithoutLeavesGivesWayToItsFirst() throws {
        var settings = try settings([("network/interfaces/eth0", [:])])
        settings[try .networkInterface("eth0")].mtu = 1280
        let changes = try settings.changeSet()
        #expect(changes.changes.map(\.path.text) == ["network/interfaces/eth0/mtu"])
    }

    @Test func valuesThatAreNoneFailWhenTheChangesAreTaken() throws {
        var settings = try settings()
        settings[.volume] = .nan
        #expect(throws: (any Error).self) { try settings.changeSet() }
    }

    @Test func storedValuesOfAnotherTypeReadAsTheDefault() throws {
        let settings = try settings([("audio/volume", 2)])
        let wrong = SettingKey<Bool>(path: try SettingPath("audio/volume"), default: true)
        #expect(settings[wrong] == true)
        #expect(throws: (any Error).self) { try settings.value(of: wrong) }
        #expect(try settings.value(of: .volume) == 2)
    }

    @Test func editsAreAcceptedByTheService() throws {
        let base = LayeredSettings(schema: .builtIn)
        var settings = EditableSettings(base)
        settings[.hostname] = "gw"
        settings[.historyBytes] = ByteCount(2 << 20)
        settings[.logLevel] = .debug
        settings[try .networkInterface("eth0")].gateway = "192.0.2.1"
        let proposal = base.propose(try settings.changeSet())
        #expect(proposal.problems.isEmpty)
        #expect(proposal.settings[.historyBytes] == ByteCount(2 << 20))
        #expect(proposal.settings[.logLevel] == .debug)
        #expect(proposal.settings[.networkInterfaces]["eth0"]?.gateway == "192.0.2.1")
    }

    /// The values of secrets are not sent to a program that may not read them.
    @Test func aSecretThatIsNotShownIsNotReplacedByItsKeysDefault() throws {
        let pin = SettingKey<String?>("lamp/pin")
        let view = SettingsView([
            .init(path: pin.path, value: nil, origin: .committed, isSecret: true),
            .init(path: try SettingPath("lamp/label"), value: "desk", origin: .committed),
        ])
        let label = SettingKey("lamp/label", default: "")
        var settings = EditableSettings(view)
        settings[pin] ?= "0000"
        let error = #expect(throws: UnreadableSetting.self) { _ = try settings.changeSet() }
        #expect(error?.isSecret == true && error?.path == pin.path)
        var assigned = EditableSettings(view)
        assigned[pin] = "1234"
        assigned[label] += " 2"
        #expect(try assigned.changeSet().changes.map(\.path.text) == ["lamp/label", "lamp/pin"])
        #expect(throws: UnreadableSetting.self) { _ = try EditableSettings(view).value(of: pin) }
    }

    /// A key and the schema each name a default; they must be one.
    @Test func builtInKeysAgreeWithTheSchema() throws {
        func check<Value>(_ key: SettingKey<Value>) throws {
            let node = try #require(Schema.builtIn.lookup(key.path), "\(key.path)")
            let value = try JSONValue(encoding: key.defaultValue)
            #expect(node.defaultValue == value, "\(key.path)")
            #expect(node.brokenRules(by: value).isEmpty)
            #expect(try JSONValue(encoding: LayeredSettings(schema: .builtIn)[key]) == value)
        }
        try check(.hostname)
        try check(.timezone)
        try check(.ntpEnabled)
        try check(.ntpServers)
        try check(.historyGenerations)
        try check(.historyBytes)
        try check(.logLevel)
        let level = Schema.builtIn.lookup(SettingKey<LogLevel>.logLevel.path)
        #expect(level?.enumeration == LogLevel.allCases.map { .string($0.rawValue) })
        // Every member of an interface is a setting with the same default, and the other way round.
        var interface = try JSONValue(encoding: NetworkInterfaceSettings()).objectValue ?? [:]
        #expect(interface["wifi"] == [:])
        interface["wifi"] = nil
        let all = Schema.builtIn.entries(under: try SettingKey.networkInterface("x").path)
        let entries = all.filter { !$0.pattern.contains("wifi") }
        let defaults = JSONObject(
            entries.compactMap { entry in
                entry.node.defaultValue.map { (String(entry.pattern.dropFirst("network/interfaces/x/".count)), $0) }
            })
        #expect(interface == defaults)
        #expect(entries.count == 17)
        // So is every member of a Wi-Fi network.
        let network = try JSONValue(encoding: WifiNetworkSettings())
        #expect(network == ["hidden": false, "priority": 0, "security": "wpa2"])
        #expect(all.count == 22)
    }

    @Test func aVirtualInterfaceIsReadFromItsSettings() throws {
        let path = "network/interfaces/x"
        let rows: [(String, JSONValue)] = [
            ("vlan/id", 7), ("vlan/parent", "eth0"), ("bridge/ports", ["eth1"]), ("bond/ports", ["eth2"]),
            ("bond/mode", "802.3ad"),
        ]
        let settings = LayeredSettings(
            schema: .builtIn, committed: SettingsTree(try rows.map { (try SettingPath("\(path)/\($0.0)"), $0.1) }))
        let interface = settings[try SettingKey.networkInterface("x")]
        #expect(interface.vlan?.id == 7 && interface.vlan?.parent == "eth0")
        #expect(interface.bridge?.ports == ["eth1"] && interface.bridge?.stp == false)
        #expect(interface.bond?.ports == ["eth2"] && interface.bond?.mode == "802.3ad")
    }

    @Test func pathsOfKeysAreCheckedAtFirstUse() async {
        await #expect(processExitsWith: .failure) {
            _ = SettingKey<Int>("not//a/path", default: 1).path
        }
        await #expect(processExitsWith: .failure) {
            let name: Hostname = "-"
            print(name)
        }
    }
}
