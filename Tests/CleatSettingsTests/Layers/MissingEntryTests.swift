import CleatJSON
import Testing

@testable import CleatSettings

@Suite("Missing entries of maps")
struct MissingEntryTests {
    private func settings() throws -> LayeredSettings {
        let text = """
            {type: 'object', properties: {
              net: {type: 'object', additionalProperties: {type: 'object', properties: {
                mtu: {type: 'integer', default: 5}, ips: {type: 'object', additionalProperties: {type: 'string'}}}}},
              env: {type: 'object', additionalProperties: {type: 'string'}},
              keys: {type: 'object', writeOnly: true, additionalProperties: {type: 'string'}},
              free: {}, one: {type: 'integer'}}}
            """
        var committed = SettingsTree()
        for (path, value) in [
            "net/eth0/mtu": 1, "net/eth1": [:], "net/eth0/ips/home": "a", "env/HOME": "x", "env/a~1b": "y",
            "keys/secret-name": "z", "free/x/y": 1,
        ] as [String: JSONValue] {
            committed.apply(try ChangeSet([Change(try SettingPath(path), value)]))
        }
        let sources = SettingsSources(
            schema: try Schema(json: try JSONReader.read(text, dialect: .json5)),
            vendor: [SettingsFile(file: "d.json5", values: ["net": ["wlan0": ["mtu": 7]]])])
        return LayeredSettings(sources: sources, committed: committed)
    }

    @Test(
        arguments: [
            ("net/etho/mtu", "net has no entry “etho”; did you mean net/eth0/mtu?"),
            ("net/eth", "net has no entry “eth”; did you mean net/eth0?"),
            ("net/wlan1", "net has no entry “wlan1”; did you mean net/wlan0?"),
            ("net/usb0/mtu", "net has no entry “usb0”"), ("net/ab", "net has no entry “ab”"),
            ("net/eth1/ips/x", "net/eth1/ips has no entry “x”"),
            ("net/eth0/ips/hom", "net/eth0/ips has no entry “hom”; did you mean net/eth0/ips/home?"),
            ("env/HOMES", "env has no entry “HOMES”; did you mean env/HOME?"),
            ("env/a~1c", "env has no entry “a/c”; did you mean env/a~1b?"),
            ("net/eth0/mtu", nil), ("net/eth1/mtu", nil), ("net/wlan0/mtu", nil), ("net", nil), ("one", nil),
            ("unknown/x", nil), ("free/x/z", nil), ("free/y", nil),
            // The names below a secret are a part of it.
            ("keys/secret-nam", nil), ("keys/x", nil),
        ] as [(String, String?)])
    func saysWhichOneMayBeMeant(_ path: String, _ expected: String?) throws {
        #expect(try settings().missingEntry(of: SettingPath(path))?.description == expected)
    }

    @Test("The nearest name is not searched among very many names, nor for a very long one")
    func bounded() throws {
        var committed = SettingsTree()
        for number in 0...4_096 {
            committed.apply(try ChangeSet([Change(try SettingPath("m/n\(number)"), 1)]))
        }
        let schema = try Schema(
            json: [
                "type": "object", "properties": ["m": ["type": "object", "additionalProperties": ["type": "integer"]]],
            ])
        let settings = LayeredSettings(schema: schema, committed: committed)
        #expect(try settings.missingEntry(of: SettingPath("m/n4097"))?.description == "m has no entry “n4097”")
        let long = String(repeating: "x", count: 255)
        let missing = try #require(try self.settings().missingEntry(of: SettingPath("env/\(long)")))
        #expect(missing.suggestion == nil && missing.description.utf8.count < 200)
    }
}
