import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SchemaTests {
    private func schema(_ text: String) throws -> Schema {
        try Schema(json: try JSONReader.read(text, dialect: .json5))
    }

    /// Finds the codes of what a node with these keywords has against a value.
    private func codes(_ keywords: String, _ value: String) throws -> [String] {
        let schema = try schema("{type: 'object', properties: {s: \(keywords)}}")
        return schema.problems(with: try JSONReader.read(value), at: try SettingPath("s")).map(\.code.description)
    }

    @Test(
        arguments: [
            ("{}", "1", []), ("{}", "null", ["type"]), ("{}", "[{\"a\": 1}]", []), ("{type: 'array'}", "[null]", []),
            ("{type: 'boolean'}", "true", []), ("{type: 'boolean'}", "0", ["type"]),
            ("{type: 'boolean'}", "\"true\"", ["type"]),
            ("{type: 'integer'}", "1", []), ("{type: 'integer'}", "1.0", []), ("{type: 'integer'}", "1e2", []),
            ("{type: 'integer'}", "1.5", ["type"]), ("{type: 'integer'}", "9223372036854775807", []),
            ("{type: 'integer'}", "9223372036854775808", ["type"]), ("{type: 'integer'}", "-9223372036854775808", []),
            ("{type: 'integer'}", "1e300", ["type"]), ("{type: 'integer'}", "true", ["type"]),
            ("{type: 'integer'}", "\"1\"", ["type"]),
            ("{type: 'number'}", "1", []), ("{type: 'number'}", "1.5", []),
            ("{type: 'number'}", "9223372036854775808", []),
            ("{type: 'number'}", "\"1\"", ["type"]), ("{type: 'string'}", "\"\"", []),
            ("{type: 'string'}", "1", ["type"]),
            ("{type: 'string'}", "[]", ["type"]), ("{type: 'array'}", "[]", []), ("{type: 'array'}", "{}", ["type"]),
            ("{type: ['string', 'integer']}", "1", []), ("{type: ['string', 'integer']}", "\"a\"", []),
            ("{type: ['string', 'integer']}", "true", ["type"]),
            ("{enum: ['a', 1, [2]]}", "\"a\"", []), ("{enum: ['a', 1, [2]]}", "1.0", []),
            ("{enum: ['a', 1, [2]]}", "[2.0]", []),
            ("{enum: ['a', 1, [2]]}", "\"b\"", ["enum"]), ("{type: 'string', enum: []}", "\"b\"", ["enum"]),
            ("{const: 'a'}", "\"a\"", []), ("{const: 'a'}", "\"b\"", ["const"]),
            ("{const: 'e\\u0301'}", "\"é\"", ["const"]),
            ("{minimum: 1, maximum: 3}", "1", []), ("{minimum: 1, maximum: 3}", "3.0", []),
            ("{minimum: 1, maximum: 3}", "0", ["range"]),
            ("{minimum: 1, maximum: 3}", "3.000001", ["range"]), ("{minimum: 1}", "\"0\"", []),
            ("{exclusiveMinimum: 1, exclusiveMaximum: 3}", "2", []), ("{exclusiveMinimum: 1}", "1.0", ["range"]),
            ("{exclusiveMaximum: 3}", "3", ["range"]), ("{minimum: 5, maximum: 3}", "4", ["range", "range"]),
            ("{maximum: 9223372036854775806}", "9223372036854775807", ["range"]),
            ("{maximum: 9223372036854775807}", "9223372036854775808", ["range"]),
            ("{minimum: -9223372036854775808}", "-9223372036854775809", []), ("{minimum: 0.5}", "0", ["range"]),
            ("{maximum: 0.5}", "1", ["range"]),
            ("{multipleOf: 5}", "10", []), ("{multipleOf: 5}", "11", ["range"]), ("{multipleOf: 0.1}", "0.3", []),
            ("{multipleOf: 0.1}", "0.35", ["range"]),
            ("{multipleOf: 0.5}", "3", []), ("{multipleOf: 1}", "-9223372036854775808", []),
            ("{minLength: 2, maxLength: 3}", "\"ab\"", []), ("{minLength: 2}", "\"a\"", ["length"]),
            ("{maxLength: 3}", "\"abcd\"", ["length"]),
            ("{maxLength: 2}", "\"😀😀\"", []), ("{maxLength: 1}", "\"e\u{301}\"", ["length"]),
            ("{pattern: '^a+$'}", "\"aa\"", []), ("{pattern: '^a+$'}", "\"ab\"", ["pattern"]),
            ("{pattern: 'b'}", "\"abc\"", []),
            ("{format: 'ipv4'}", "\"192.0.2.1\"", []), ("{format: 'ipv4'}", "\"x\"", ["format"]),
            ("{format: 'ipv4'}", "1", []),
            ("{type: 'string', format: 'bytes', minimum: 1024}", "\"1KiB\"", []),
            ("{type: 'string', format: 'bytes', minimum: 1024}", "\"1kB\"", ["range"]),
            ("{type: 'string', format: 'duration', maximum: 60000}", "\"1m1s\"", ["range"]),
            ("{anyOf: [{format: 'ipv4'}, {format: 'ipv6'}]}", "\"::1\"", []),
            ("{anyOf: [{format: 'ipv4'}, {format: 'ipv6'}]}", "\"a\"", ["format"]),
            ("{anyOf: [{format: 'ipv4'}, {format: 'ipv6'}]}", "1", ["type"]),
            ("{items: {type: 'integer', maximum: 5}}", "[1, 2]", []),
            ("{items: {type: 'integer'}}", "[1, \"a\", null]", ["type", "type"]),
            ("{items: true}", "[1, \"a\"]", []), ("{minItems: 1}", "[]", ["count"]),
            ("{maxItems: 1}", "[1, 2]", ["count"]),
            ("{uniqueItems: true}", "[1, 2]", []), ("{uniqueItems: true}", "[1, 1.0]", ["unique"]),
            ("{uniqueItems: true}", "[[1], [1]]", ["unique"]),
            ("{uniqueItems: false}", "[1, 1]", []),
            ("{items: {type: 'object', required: ['a']}}", "[{\"a\": 1, \"b\": 2}]", []),
            ("{items: {type: 'object', required: ['a']}}", "[{}]", ["required"]),
            (
                "{items: {type: 'object', properties: {a: {type: 'integer'}}, additionalProperties: false}}",
                "[{\"a\": 1, \"b\": 2}]", ["unknown"]
            ),
            ("{items: {type: 'object', properties: {a: {type: 'integer'}}}}", "[{\"a\": \"x\", \"b\": 2}]", ["type"]),
            ("{items: {type: 'object', additionalProperties: {type: 'integer'}}}", "[{\"a\": \"x\"}]", ["type"]),
            ("{items: {type: 'object', propertyNames: {maxLength: 1}}}", "[{\"ab\": 1}]", ["length"]),
            (
                "{items: {type: 'object', minProperties: 1, maxProperties: 1}}", "[{}, {\"a\": 1, \"b\": 1}]",
                ["count", "count"]
            ),
        ] as [(String, String, [String])])
    func checksEachKeyword(_ keywords: String, _ value: String, _ expected: [String]) throws {
        #expect(try codes(keywords, value) == expected)
    }

    @Test(arguments: [
        ("{type: 'integer', minimum: 68, maximum: 65535}", "12", "is 12, but must be at least 68; give 68 to 65535"),
        ("{type: 'integer'}", "\"abc\"", "is “abc”, a string, but must be an integer"),
        (
            "{type: 'integer'}", "9223372036854775808",
            "is 9.223372036854776e+18, beyond 64 bits, but must be an integer"
        ),
        ("{enum: ['a', 'b']}", "\"c\"", "is “c”, but must be one of “a”, “b”"),
        ("{type: 'string', format: 'duration', maximum: 60000}", "\"2h\"", "is “2h”, but must be at most 1m"),
        (
            "{type: 'string', format: 'duration'}", "true",
            "is true, a boolean, but must be a duration such as “30s”, “1h30m” or “250ms”"
        ),
        (
            "{items: {type: 'string', format: 'ipv4'}}", "[\"192.0.2.1\", \"x\"]",
            "(item 2) is “x”, but must be an IPv4 address such as “192.0.2.1”"
        ),
        ("{pattern: '^a$', examples: ['a']}", "\"b\\n\"", "is “b\\u{a}”, but must match the pattern ^a$, such as “a”"),
        ("{writeOnly: true, maxLength: 3, pattern: 'x'}", "\"secret\"", "is as given, but must match the pattern x"),
    ])
    func reasonsSayWhatToDo(_ keywords: String, _ value: String, _ reason: String) throws {
        let schema = try schema("{type: 'object', properties: {s: \(keywords)}}")
        let problems = schema.problems(with: try JSONReader.read(value), at: try SettingPath("s"))
        #expect(problems.last?.reason == reason)
    }

    @Test func secretsAreNotRepeated() throws {
        let schema = try schema(
            "{type: 'object', properties: {s: {type: 'string', enum: ['hunter2'], writeOnly: true}}}")
        for value: JSONValue in ["wrong", 12345, ["wrong"]] {
            for problem in schema.problems(with: value, at: try SettingPath("s")) {
                #expect(problem.value == nil)
                #expect(!problem.description.contains("wrong") && !problem.description.contains("hunter2"))
                #expect(!problem.description.contains("12345"))
            }
        }
    }

    @Test(arguments: [
        ("{type: 'object', properties: {a: {$ref: '#/x'}}}", "invalid_reference", "$ref"),
        ("{type: 'object', definitions: {}}", "unsupported_keyword", "definitions"),
        ("{type: 'object', properties: {a: {allOf: []}}}", "invalid_keyword", "allOf"),
        ("{type: 'object', properties: {a: {oneOf: []}}}", "invalid_keyword", "oneOf"),
        ("{type: 'object', properties: {a: {type: 'array', prefixItems: []}}}", "invalid_keyword", "prefixItems"),
        ("{type: 'object', properties: {a: {$ref: '#'}}}", "invalid_tree", "inside itself"),
        (
            "{type: 'object', $defs: {g: {type: 'object', additionalProperties: {$ref: '#/$defs/g'}}}, properties: {a: {$ref: '#/$defs/g'}}}",
            "invalid_tree", "inside itself"
        ),
        ("{type: 'object', properties: {a: {minimun: 1}}}", "unsupported_keyword", "minimun"),
        ("{type: 'object', properties: {a: {readOnly: 1}}}", "invalid_keyword", "readOnly"),
        ("{type: 'string'}", "invalid_tree", "object"), ("{}", "invalid_tree", "object"),
        ("[]", "invalid_keyword", "object"),
        ("true", "invalid_tree", "object"),
        ("{type: 'object', $schema: 'http://json-schema.org/draft-07/schema#'}", "invalid_keyword", "2020-12"),
        ("{type: 'object', properties: {a: {type: 'null'}}}", "invalid_keyword", "null"),
        ("{type: 'object', properties: {a: {type: 'text'}}}", "invalid_keyword", "boolean"),
        ("{type: 'object', properties: {a: {type: []}}}", "invalid_keyword", "type"),
        ("{type: 'object', properties: {a: {type: ['object', 'string']}}}", "invalid_tree", "never both"),
        ("{type: 'object', properties: {a: {properties: {}}}}", "invalid_tree", "add “type”"),
        ("{type: 'object', properties: {'..': {}}}", "invalid_tree", ".."),
        ("{type: 'object', properties: []}", "invalid_keyword", "properties"),
        ("{type: 'object', properties: {a: {pattern: '(?=x)'}}}", "invalid_keyword", "look-around"),
        ("{type: 'object', properties: {a: {pattern: '(a)\\\\1'}}}", "invalid_keyword", "column 4"),
        ("{type: 'object', properties: {a: {format: 'datetime'}}}", "invalid_keyword", "known are"),
        ("{type: 'object', properties: {a: {minLength: -1}}}", "invalid_keyword", "minLength"),
        ("{type: 'object', properties: {a: {maxItems: 1.5}}}", "invalid_keyword", "maxItems"),
        ("{type: 'object', properties: {a: {minimum: '1'}}}", "invalid_keyword", "minimum"),
        ("{type: 'object', properties: {a: {multipleOf: 0}}}", "invalid_keyword", "multipleOf"),
        ("{type: 'object', properties: {a: {uniqueItems: 1}}}", "invalid_keyword", "uniqueItems"),
        ("{type: 'object', properties: {a: {title: 1}}}", "invalid_keyword", "title"),
        ("{type: 'object', properties: {a: {enum: 'x'}}}", "invalid_keyword", "enum"),
        ("{type: 'object', properties: {a: {type: 'integer', default: 'x'}}}", "invalid_keyword", "must be an integer"),
        ("{type: 'object', properties: {a: {default: null}}}", "invalid_keyword", "null"),
        ("{type: 'object', default: {}}", "invalid_tree", "default"),
        ("{type: 'object', required: ['x'], properties: {a: {}}}", "invalid_keyword", "not a property"),
        ("{type: 'object', required: [1]}", "invalid_keyword", "required"),
        (
            "{type: 'object', additionalProperties: {type: 'object'}, propertyNames: {type: 'integer'}}",
            "invalid_keyword", "keys are"
        ),
    ])
    func refusesByName(_ text: String, _ code: String, _ part: String) {
        let error = #expect(throws: SchemaErrors.self) { try schema(text) }
        #expect(error?.problems.first?.code.description == code)
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    }

    @Test func errorsPointAtThePlace() {
        let errors = #expect(throws: SchemaErrors.self) {
            try schema("{type: 'object', properties: {'a/b': {type: 'array', items: {minLength: 'x'}}}}")
        }
        let error = errors?.problems.first
        #expect(error?.pointer == ["properties", "a/b", "items", "minLength"])
        #expect(error?.description.contains("/properties/a~1b/items/minLength") == true)
    }

    @Test func refusesNestingWithoutEnd() {
        let deep = (0..<200).reduce(JSONValue.object([:])) { value, _ in ["type": "array", "items": value] }
        let error = #expect(throws: SchemaErrors.self) {
            try Schema(json: ["type": "object", "properties": ["a": deep]])
        }
        #expect(error?.problems.map(\.code) == [.tooDeep])
    }

    @Test func extensionsAndAnnotationsAreKept() throws {
        let text = """
            {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string",\
            "title":"T","description":"D","default":"x","examples":["y"],"writeOnly":true,"deprecated":true,"enum":["x","y"],\
            "maxLength":5,"pattern":"^[xy]$","x-unit":"z"},"m":{"type":"object","additionalProperties":{"type":"object",\
            "properties":{"v":{"anyOf":[{"format":"ipv4"},{"format":"ipv6"}],"type":"string"}},"additionalProperties":false,\
            "required":["v"]},"propertyNames":{"type":"string","format":"interface"},"maxProperties":3},"n":{"type":"object",\
            "additionalProperties":true}},"additionalProperties":false}
            """
        #expect(try schema(text).json == JSONReader.read(text))
    }

    @Test func theBuiltInSchemaIsJSONSchema() throws {
        let json = Schema.builtIn.json
        let again = try Schema(json: json)
        #expect(again.json == json)
        #expect(json["properties"]?["system"]?["properties"]?["hostname"]?["maxLength"] == 64)
        let gateway = json["properties"]?["network"]?["properties"]?["interfaces"]?["additionalProperties"]?[
            "properties"]?["gateway"]
        #expect(gateway?["anyOf"] == [["format": "ipv4"], ["format": "ipv6"]])
        #expect(json["$schema"] == "https://json-schema.org/draft/2020-12/schema")
    }

    @Test func theBuiltInSettingsAreTheseAndFitTheirOwnRules() throws {
        let entries = Schema.builtIn.entries()
        #expect(
            entries.map { "\($0.pattern) \($0.node.types.names.joined()) \($0.node.defaultValue?.description ?? "-")" }
                == [
                    "agent/history/bytes string \"16MiB\"", "agent/history/generations integer 1000",
                    "agent/log/level string \"info\"",
                    "documents/{name} string -", "kernel/attributes/{name} booleanintegerstring -",
                    "kernel/sysctl/{name} booleanintegerstring -",
                    "leds/{name}/brightness integer -", "leds/{name}/trigger string -",
                    "network/interfaces/{name}/addresses array []", "network/interfaces/{name}/bond/mode string -",
                    "network/interfaces/{name}/bond/ports array -", "network/interfaces/{name}/bridge/ports array -",
                    "network/interfaces/{name}/bridge/stp boolean -", "network/interfaces/{name}/dhcp boolean true",
                    "network/interfaces/{name}/dns array []", "network/interfaces/{name}/enabled boolean true",
                    "network/interfaces/{name}/gateway string -", "network/interfaces/{name}/ipv6 string -",
                    "network/interfaces/{name}/metric integer -", "network/interfaces/{name}/mtu integer -",
                    "network/interfaces/{name}/privacy boolean -",
                    "network/interfaces/{name}/routes array []", "network/interfaces/{name}/search array -",
                    "network/interfaces/{name}/vlan/id integer -", "network/interfaces/{name}/vlan/parent string -",
                    "network/interfaces/{name}/wifi/{name}/hidden boolean false",
                    "network/interfaces/{name}/wifi/{name}/passphrase string -",
                    "network/interfaces/{name}/wifi/{name}/priority integer 0",
                    "network/interfaces/{name}/wifi/{name}/security string \"wpa2\"",
                    "network/interfaces/{name}/wifi/{name}/ssid string -", "network/wifi/country string -",
                    "system/hostname string \"board\"", "system/timezone string \"UTC\"",
                    "time/ntp/enabled boolean true",
                    "time/ntp/servers array []",
                ])
        for entry in entries {
            #expect(entry.node.title != nil && entry.node.description != nil, "\(entry.pattern)")
            for value in entry.node.examples + [entry.node.defaultValue].compactMap({ $0 }) {
                #expect(entry.node.brokenRules(by: value).isEmpty, "\(entry.pattern): \(value)")
                #expect(entry.node.canonical(value) == value, "\(entry.pattern): \(value)")
            }
        }
        #expect(
            Schema.builtIn.entries(under: try SettingPath("network/interfaces/eth0")).map(\.pattern).last
                == "network/interfaces/eth0/wifi/{name}/ssid")
        #expect(Schema.builtIn.entries(under: try SettingPath("system/hostname")).map(\.pattern) == ["system/hostname"])
        #expect(Schema.builtIn.entries(under: try SettingPath("nothing")).isEmpty)
    }

    @Test(arguments: [
        ("system/hostname", "\"gw-1\"", true), ("system/hostname", "\"-gw\"", false),
        ("system/hostname", "\"a_b\"", false),
        ("system/timezone", "\"Europe/Berlin\"", true), ("system/timezone", "\"America/Argentina/Buenos_Aires\"", true),
        ("system/timezone", "\"Etc/GMT+1\"", true), ("system/timezone", "\"UTC\"", true),
        ("system/timezone", "\"../etc/passwd\"", false),
        ("system/timezone", "\"/etc/localtime\"", false), ("system/timezone", "\"Europe//Berlin\"", false),
        ("system/timezone", "\"a/b/c/d\"", false),
        ("system/timezone", "\"\"", false), ("time/ntp/servers", "[\"ntp.example.net\", \"192.0.2.1\", \"::1\"]", true),
        ("time/ntp/servers", "[\"a\", \"a\"]", false), ("time/ntp/servers", "\"a\"", false),
        ("time/ntp/enabled", "\"true\"", false),
        ("network/interfaces/eth0/mtu", "68", true), ("network/interfaces/eth0/mtu", "67", false),
        ("network/interfaces/eth0/mtu", "65535", true), ("network/interfaces/eth0/mtu", "65536", false),
        ("network/interfaces/eth0/mtu", "1500.0", true), ("network/interfaces/eth0/mtu", "1500.5", false),
        ("network/interfaces/eth0/addresses", "[\"192.0.2.1/24\"]", true),
        ("network/interfaces/eth0/addresses", "[\"192.0.2.1\"]", false),
        ("network/interfaces/eth0/gateway", "\"fe80::1\"", true),
        ("network/interfaces/eth0/gateway", "\"fe80::1%eth0\"", false),
        ("network/interfaces/eth0/dns", "[\"192.0.2.53\", \"::1\"]", true),
        ("network/interfaces/eth0/dns", "[\"dns.example\"]", false),
        ("network/interfaces/eth0/routes", "[]", true), ("network/interfaces/eth0/routes", "[\"10.0.0.0/8\"]", false),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"10.0.0.0/8\"}]", true),
        ("network/interfaces/eth0/routes", "{\"destination\": \"10.0.0.0/8\"}", false),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"::/0\", \"gateway\": \"fe80::1\"}]", true),
        ("network/interfaces/eth0/routes", "[{\"gateway\": \"192.0.2.1\"}]", false),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"10.0.0.0\"}]", false),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"10.0.0.0/33\"}]", false),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"10.0.0.0/8\", \"gateway\": \"router\"}]", false),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"10.0.0.0/8\", \"metric\": 0}]", false),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"10.0.0.0/8\", \"metric\": 4294967295}]", true),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"10.0.0.0/8\", \"metric\": 4294967296}]", false),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"10.0.0.0/8\", \"metric\": \"1\"}]", false),
        ("network/interfaces/eth0/routes", "[{\"destination\": \"10.0.0.0/8\", \"via\": \"192.0.2.1\"}]", false),
        (
            "network/interfaces/eth0/routes",
            "[{\"destination\": \"10.0.0.0/8\"}, {\"destination\": \"10.0.0.0/8\"}]", false
        ),
        ("network/interfaces/abcdefghijklmno/mtu", "1500", true),
        ("network/interfaces/abcdefghijklmnop/mtu", "1500", false),
        ("network/interfaces/a b/mtu", "1500", false), ("network/interfaces/a~1b/mtu", "1500", false),
        ("network/interfaces/a:b/mtu", "1500", false),
        ("network/interfaces/eth0", "{}", true), ("network/interfaces/eth0", "1", false), ("network", "1", false),
        ("network", "[]", false),
        ("network/interfaces/eth0/mut", "1500", false), ("system/hostname/x", "1", false), ("nothing", "1", false),
        ("agent/history/generations", "1", true), ("agent/history/generations", "0", false),
        ("agent/history/bytes", "\"64KiB\"", true),
        ("agent/history/bytes", "\"63KiB\"", false), ("agent/log/level", "\"debug\"", true),
        ("agent/log/level", "\"loud\"", false),
    ])
    func builtInSettingsTakeAndRefuse(_ path: String, _ value: String, _ isFine: Bool) throws {
        let problems = Schema.builtIn.problems(with: try JSONReader.read(value), at: try SettingPath(path))
        #expect(problems.isEmpty == isFine, "\(problems)")
        #expect(problems.allSatisfy { $0.path.text == path && !$0.reason.isEmpty })
    }

    @Test(
        arguments: [
            ("system/hostnam", "system/hostname"), ("sytem/hostname", "system/hostname"),
            ("system/host", "system/hostname"),
            ("network/interface/eth0/mtu", "network/interfaces/eth0/mtu"),
            ("network/interfaces/eth0/mut", "network/interfaces/eth0/mtu"),
            ("network/interfaces/eth0/adresses", "network/interfaces/eth0/addresses"),
            ("time/ntp/server", "time/ntp/servers"),
            ("networks", "network"), ("zzzzzz", nil), ("completely/different/thing", nil), ("", nil),
            ("hostname", "system/hostname"), ("hostnme", "system/hostname"), ("System/Hostname", "system/hostname"),
            ("system.hostname", "system/hostname"), ("systemhostname", "system/hostname"),
            ("system/host/name", "system/hostname"), ("system/hostname/x", "system/hostname"),
            ("system/settings/hostname", "system/hostname"), ("ntp/serves", "time/ntp/servers"),
            ("interfaces/eth0/mtu", "network/interfaces/eth0/mtu"),
            ("network/eth0/mtu", "network/interfaces/eth0/mtu"),
            ("network/interfaces/eth0/mtu/bytes", "network/interfaces/eth0/mtu"),
            ("interfaces/eth0", "network/interfaces/eth0"),
            ("network/interfaces/wlan0/wifi/a/sid", "network/interfaces/wlan0/wifi/a/ssid"),
            ("sysctl/net.ipv4.ip_forward", "kernel/sysctl/net.ipv4.ip_forward"),
            ("network/interfaces/a~1b/mut", nil), ("x", nil), ("a/b/c/d/e/f/g/h", nil),
        ] as [(String, String?)])
    func suggestsTheNearestPath(_ text: String, _ expected: String?) throws {
        guard let path = try? SettingPath(text) else { return }
        #expect(Schema.builtIn.suggestion(for: path) == expected)
        let reason = Schema.builtIn.problems(with: 1, at: path, suggesting: true).first?.reason ?? ""
        let told = ["did you mean \(expected ?? "?")?", ": \(expected ?? "?") is one"]
        let isTold = told.contains { reason.contains($0) }
        #expect(isTold == (expected != nil), "\(reason)")
    }

    /// The search for the nearest path is bounded, for any number of paths and any request.
    @Test func suggestionsOfAWideSchemaAreBounded() throws {
        var members = JSONObject()
        for number in 0..<18_000 { members["setting-\(number)"] = ["type": "integer"] }
        let wide = try Schema(json: ["type": "object", "properties": .object(members)])
        let near = try SettingPath("setting-1x")
        #expect(wide.suggestion(for: near)?.hasPrefix("setting-1") == true)
        for text in ["\(String(repeating: "s", count: 128))", "\(String(repeating: "setting/", count: 15))x"] {
            #expect(wide.suggestion(for: try SettingPath(text)) == nil)
        }
        // Groups in groups: every way through them could be meant.
        var node: JSONValue = ["type": "integer"]
        for _ in 0..<12 { node = ["type": "object", "properties": ["aaa": node, "aab": ["type": "integer"]]] }
        let deep = try Schema(json: node)
        let path = try SettingPath(Array(repeating: "aa", count: 15).joined(separator: "/"))
        #expect(deep.suggestion(for: path)?.hasPrefix("aa") != false)
    }

    @Test(
        arguments: [
            (.bytes, "5 mb", "5MB"), (.bytes, "5mib", "5MiB"), (.bytes, "10 Bytes", "10B"), (.bytes, "5M", nil),
            (.bytes, "5MB", nil), (.bytes, "mb", nil), (.bytes, "5 mb 3 kb", nil), (.bytes, "1.5MiB", nil),
            (.duration, "30 s", "30s"), (.duration, "30 seconds", "30s"), (.duration, "5 MIN 3 sec", "5m3s"),
            (.duration, "3s5m", nil), (.duration, "soon", nil), (.duration, "", nil), (.mac, "5 mb", nil),
        ] as [(SettingFormat, String, String?)])
    func unitsThatAreNearlyRight(_ format: SettingFormat, _ text: String, _ meant: String?) throws {
        #expect(format.nearMiss(text) == meant)
        var named: JSONObject = ["type": "object"]
        named["properties"] = ["a": ["type": "string", "format": .string(format.rawValue)]]
        let problems = try Schema(json: .object(named)).problems(with: .string(text), at: try SettingPath("a"))
        #expect(problems.contains { $0.reason.contains("did you mean “\(meant ?? "")”?") } == (meant != nil))
        named["properties"] = ["a": ["type": "string", "format": .string(format.rawValue), "writeOnly": true]]
        let hidden = try Schema(json: .object(named)).problems(with: .string(text), at: try SettingPath("a"))
        #expect(!hidden.contains { $0.reason.contains("did you mean") })
    }

    @Test func canonicalFormsAreStored() throws {
        let schema = try schema(
            """
            {type: 'object', properties: {d: {type: 'string', format: 'duration'}, b: {type: 'string', format: 'bytes'},
             n: {type: 'number'}, l: {type: 'array', items: {type: 'string', format: 'ipv6'}}, s: {type: 'string'}}}
            """)
        func canonical(_ path: String, _ value: JSONValue) throws -> String {
            schema.canonical(value, at: try SettingPath(path)).description
        }
        #expect(try canonical("d", "90s") == "\"1m30s\"")
        #expect(try canonical("d", 90_000) == "\"1m30s\"")
        #expect(try canonical("d", -1) == "-1")
        #expect(try canonical("d", "soon") == "\"soon\"")
        #expect(try canonical("b", "4096KiB") == "\"4MiB\"")
        #expect(try canonical("b", 2048.0) == "\"2KiB\"")
        #expect(try canonical("n", 1.0) == "1")
        #expect(try canonical("n", 1.5) == "1.5")
        #expect(try canonical("l", ["2001:DB8::0001"]) == "[\"2001:db8::1\"]")
        #expect(try canonical("s", 5) == "5")
    }
}
