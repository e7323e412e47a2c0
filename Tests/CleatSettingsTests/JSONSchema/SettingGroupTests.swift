import CleatJSON
import Testing

@testable import CleatSettings

/// Rules over several settings: what a change breaks refuses it, what was broken before does not.
@Suite struct SettingGroupTests {
    private static let address = """
        {type: 'object', properties: {net: {type: 'object', properties: {mode: {enum: ['dhcp', 'static'], default: 'dhcp'},
         address: {type: 'string'}, gateway: {type: 'string'}, dns: {type: 'array'}, note: {}}, dependentRequired: {gateway: ['address']},
         if: {properties: {mode: {const: 'static'}}}, then: {required: ['address'], properties: {address: {format: 'ipv4'}}}}}}
        """

    private func settings(_ schema: String, _ stored: JSONObject) throws -> LayeredSettings {
        let schema = try Schema(json: try JSONReader.read(schema, dialect: .json5))
        return LayeredSettings(
            schema: schema, committed: SettingsTree(try stored.map { (try SettingPath($0.key), $0.value) }))
    }

    private func problems(
        _ schema: String, stored: JSONObject = [:], _ changes: [(String, JSONValue?)]
    ) throws -> [String] {
        let before = try settings(schema, stored)
        return before.propose(try ChangeSet(changes.map { Change(try SettingPath($0.0), $0.1) })).problems.map(
            \.description)
    }

    @Test func aChangeThatBreaksARuleIsRefused() throws {
        #expect(
            try problems(Self.address, [("net/gateway", "g")]) == [
                "net has “gateway” and so needs “address” too; add it"
            ])
        #expect(try problems(Self.address, [("net/mode", "static")]) == ["net lacks “address”; add it"])
        #expect(
            try problems(Self.address, [("net/mode", "static"), ("net/address", "x")]) == [
                "net/address is “x”, but must be an IPv4 address such as “192.0.2.1”"
            ])
        #expect(
            try problems(Self.address, [("net/mode", "static"), ("net/address", "192.0.2.1"), ("net/gateway", "g")])
                .isEmpty)
        #expect(try problems(Self.address, [("net/address", "x")]).isEmpty)
        #expect(
            try problems(Self.address, stored: ["net/address": "a", "net/gateway": "g"], [("net/address", nil)]) == [
                "net has “gateway” and so needs “address” too; add it"
            ])
    }

    @Test func whatIsBrokenAlreadyDoesNotBlock() throws {
        let broken: JSONObject = ["net/mode": "static", "net/gateway": "g"]
        #expect(try problems(Self.address, stored: broken, [("net/note", 1)]).isEmpty)
        #expect(try problems(Self.address, stored: broken, [("net/mode", "dhcp")]).isEmpty)
        // What is touched must be right.
        #expect(try problems(Self.address, stored: broken, [("net/address", "x")]).count == 1)
        #expect(try problems(Self.address, stored: broken, [("net/address", "192.0.2.1")]).isEmpty)
    }

    @Test(
        arguments: [
            ("anyOf: [{required: ['a']}, {required: ['b']}]", [("g/c", 1)], 1),
            ("anyOf: [{required: ['a']}, {required: ['b']}]", [("g/b", 1)], 0),
            ("oneOf: [{required: ['a']}, {required: ['b']}]", [("g/a", 1), ("g/b", 1)], 1),
            ("not: {required: ['a', 'b']}", [("g/a", 1), ("g/b", 1)], 1),
            ("not: {required: ['a', 'b']}", [("g/a", 1)], 0),
            ("allOf: [{not: {required: ['a']}}, {dependentRequired: {b: ['c']}}]", [("g/a", 1), ("g/b", 1)], 2),
            ("$ref: '#/$defs/r'", [("g/b", 1)], 1),
            ("dependentSchemas: {a: {properties: {b: {const: 2}}}}", [("g/a", 1), ("g/b", 1)], 1),
            ("dependentSchemas: {a: {properties: {b: {const: 2}}}}", [("g/a", 1), ("g/b", 2)], 0),
            ("required: ['a']", [("g/b", 1)], 1), ("maxProperties: 1", [("g/a", 1), ("g/b", 1)], 1),
        ] as [(String, [(String, JSONValue)], Int)])
    func everyKindOfRuleCounts(_ rule: String, _ changes: [(String, JSONValue)], _ count: Int) throws {
        let schema =
            "{type: 'object', properties: {g: {type: 'object', properties: {a: {}, b: {}, c: {}}, \(rule)}}, $defs: {r: {dependentRequired: {b: ['a']}}}}"
        let found = try problems(
            schema, stored: rule.hasPrefix("anyOf") ? ["g/a": 1] : [:],
            changes + (rule.hasPrefix("anyOf") ? [("g/a", nil)] : []))
        #expect(found.count == count, "\(found)")
    }

    @Test func rulesAtTheTopAndInMapsCount() throws {
        let top = "{type: 'object', properties: {a: {}, b: {}}, not: {required: ['a', 'b']}}"
        #expect(try problems(top, [("a", 1), ("b", 1)]).count == 1)
        #expect(
            try problems(
                "{type: 'object', properties: {a: {}, b: {}}, required: ['a']}", stored: ["a": 1],
                [("a", nil), ("b", 1)]
            ).count == 1)
        let map =
            "{type: 'object', properties: {m: {type: 'object', additionalProperties: {type: 'object', properties: {a: {}, b: {}}, dependentRequired: {a: ['b']}}}}}"
        #expect(try problems(map, [("m/x/a", 1)]) == ["m/x has “a” and so needs “b” too; add it"])
        #expect(try problems(map, [("m/x/a", 1), ("m/x/b", 1)]).isEmpty)
    }

    @Test func branchesNameSettingsToo() throws {
        let schema =
            "{type: 'object', properties: {g: {type: 'object', properties: {kind: {}}, oneOf: [{properties: {kind: {const: 'a'}, x: {type: 'integer'}}}, {properties: {kind: {const: 'b'}, y: {type: 'string'}}}]}}}"
        #expect(try settings(schema, [:]).schema.entries().map(\.pattern) == ["g/kind", "g/x", "g/y"])
        #expect(try problems(schema, stored: ["g/kind": "a"], [("g/x", 1)]).isEmpty)
        #expect(try problems(schema, stored: ["g/kind": "a"], [("g/x", "no")]).count == 1)
        #expect(try problems(schema, [("g/z", 1)]).count == 1)
    }

    @Test func secretsInGroupsAreNotShown() throws {
        let schema =
            "{type: 'object', properties: {g: {type: 'object', properties: {key: {type: 'string', writeOnly: true}}, if: {required: ['key']}, then: {properties: {key: {minLength: 20, pattern: '^k'}}}}}}"
        let found = try problems(schema, [("g/key", "hunter2")])
        #expect(found.count == 2 && !found.contains { $0.utf8Contains("hunter2") })
        let whole =
            "{type: 'object', properties: {g: {type: 'object', writeOnly: true, properties: {a: {const: 1}, l: {type: 'array', items: {const: 2}}}, not: {required: ['a', 'l']}}}}"
        let secret = try settings(whole, [:])
        #expect(secret.schema.lookup(try SettingPath("g/a"))?.isSecret == true)
        let changes = try ChangeSet([
            Change(try SettingPath("g/a"), "hunter2"), Change(try SettingPath("g/l"), ["hunter2"]),
        ])
        let told = secret.propose(changes).problems
        #expect(told.count == 2 && told.allSatisfy { $0.value == nil && !$0.description.utf8Contains("hunter2") })
    }

    // MARK: Trees of settings

    @Test func referencesAndPatternsMakeATree() throws {
        let schema = try Schema(
            json: try JSONReader.read(
                """
                {type: 'object', $defs: {node: {type: 'array', items: {$ref: '#/$defs/node'}}, port: {type: 'integer', minimum: 1, maximum: 65535, title: 'Port'}, server: {type: 'object',
                 properties: {port: {$ref: '#/$defs/port', default: 80}, tls: {type: 'boolean'}}}}, properties: {web: {$ref: '#/$defs/server'},
                 admin: {allOf: [{$ref: '#/$defs/server'}, {properties: {user: {type: 'string'}}}]},
                 leds: {type: 'object', patternProperties: {'^led[0-9]$': {enum: ['on', 'off']}, '^bar': {type: 'integer'}}},
                 tree: {type: 'array', items: {$ref: '#/$defs/node'}}}}
                """, dialect: .json5))
        #expect(
            schema.entries().map { "\($0.pattern) \($0.node.types.names.joined())" } == [
                "admin/port integer", "admin/tls boolean", "admin/user string", "leds/{name} ", "leds/{name} integer",
                "tree array",
                "web/port integer", "web/tls boolean",
            ])
        func problems(_ path: String, _ value: JSONValue) throws -> [String] {
            schema.problems(with: value, at: try SettingPath(path)).map(\.reason)
        }
        #expect(try problems("web/port", 0) == ["is 0, but must be at least 1; give 1 to 65535"])
        let port = try SettingPath("admin/port")
        #expect(schema.lookup(port)?.title == "Port" && schema.lookup(port)?.defaultValue == 80)
        #expect(
            try problems("leds/led1", "on").isEmpty && problems("leds/led1", 1).count == 1
                && problems("leds/bar1", 1).isEmpty)
        #expect(try problems("leds/x", 1).first?.utf8Contains("must match the pattern ^led[0-9]$") == true)
        #expect(
            try problems("tree", [[[], [[]]]]).isEmpty
                && problems("tree", [[1]]) == ["(item 1, item 1) is 1, an integer, but must be an array"])
        let again = try Schema(json: schema.json)
        #expect(again.json == schema.json)
        #expect(again.problems(with: [[1]], at: try SettingPath("tree")).map(\.reason) == (try problems("tree", [[1]])))
    }

    @Test func readOnlyAndDeprecatedAreKept() throws {
        let schema = try Schema(
            json: try JSONReader.read(
                "{type: 'object', properties: {a: {type: 'string', readOnly: true, deprecated: true, 'x-cleat-renamed-from': 'b'}}}",
                dialect: .json5))
        let node = try #require(schema.lookup(try SettingPath("a")))
        #expect(node.isReadOnly && node.isDeprecated && node.extensions == ["x-cleat-renamed-from": "b"])
    }
}
