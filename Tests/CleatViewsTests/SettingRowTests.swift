import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews
import Testing

@Suite struct SettingRowTests {
    private static func row(
        _ schema: JSONObject, _ value: JSONValue? = nil, at path: String = "lamp/x"
    ) throws -> SettingRow {
        try SettingRow(SettingPath(path), schema: schema, value: value)
    }

    /// Returns the text of the refusal of a text.
    private static func refusal(_ text: String, _ schema: JSONObject) throws -> String? {
        var row = try row(schema)
        let before = row
        do throws(RefusedValue) {
            try row.edit(text: text)
            return nil
        } catch {
            #expect(row == before)
            return "\(error)"
        }
    }

    @Test func eachKindOfRow() throws {
        #expect(try Self.row(["type": "boolean"]).kind == .toggle)
        #expect(try Self.row(["type": "boolean"]).kind.name == "switch")
        guard
            case .number(let range) = try Self.row(
                ["type": "integer", "minimum": 0, "maximum": 100, "multipleOf": 5, "x-unit": "%"]
            ).kind
        else {
            Issue.record("no number")
            return
        }
        #expect((range.minimum, range.maximum, range.step) == (0, 100, 5))
        #expect(range.unit == "%" && range.isWhole)
        guard case .number(let any) = try Self.row(["type": "number"]).kind else {
            Issue.record("no number")
            return
        }
        #expect(any.minimum == nil && any.maximum == nil && any.unit == nil && !any.isWhole)
        #expect(try Self.row(["enum": ["slow", "fast"]]).kind == .choice(["slow", "fast"]))
        #expect(try Self.row(["const": 3]).kind == .choice([3]))
        #expect(try Self.row(["type": "string"]).kind == .text)
        #expect(try Self.row(["type": ["string", "integer"]]).kind == .text)
        #expect(try Self.row([:]).kind == .text)
        #expect(try Self.row(["type": "string", "writeOnly": true]).kind == .secret)
        #expect(try Self.row(["type": "array"]).kind == .list(of: .text))
        #expect(
            try Self.row(["type": "array", "items": ["type": "array", "items": ["type": "boolean"]]]).kind
                == .list(of: .list(of: .toggle)))
        let group = try Self.row(["type": "object", "title": "Lamp", "properties": ["a": ["type": "string"]]])
        #expect(group.kind == .group && group.title == "Lamp" && group.rows.map(\.path) == ["lamp/x/a"])
    }

    @Test func editsAreReadAsBySet() throws {
        func edited(_ text: String, _ schema: JSONObject) throws -> JSONValue? {
            var row = try Self.row(schema)
            try row.edit(text: text)
            #expect(row.isEdited && row.isSet)
            #expect(row.changes == [Change(try SettingPath("lamp/x"), row.value)])
            // The text of a value is read as the same value.
            var again = try Self.row(schema)
            try again.edit(text: row.text)
            #expect(again.value == row.value)
            return row.value
        }
        #expect(try edited("true", ["type": "boolean"]) == true)
        #expect(try edited(" 42", ["type": "integer"]) == 42)
        #expect(try edited("9223372036854775807", ["type": "integer"]) == .integer(.max))
        #expect(try edited("-9223372036854775808", ["type": "integer"]) == .integer(.min))
        #expect(try edited("1.0", ["type": "integer"]) == 1)
        #expect(try edited("5e-324", ["type": "number"]) == .number(.leastNonzeroMagnitude))
        #expect(try edited("42", ["type": "string"]) == "42")
        #expect(try edited("true", ["type": "string"]) == "true")
        #expect(try edited("", ["type": "string"]) == "")
        #expect(try edited("\"42\"", ["type": "string"]) == "42")
        #expect(try edited("\u{1b}[31m\nx\u{202e}", ["type": "string"]) == "\u{1b}[31m\nx\u{202e}")
        #expect(try edited("['a', 2]", ["type": "array"]) == ["a", 2])
        #expect(try edited("fast", ["enum": ["slow", "fast"]]) == "fast")
        // Quantities are stored in their canonical form, also from numbers.
        #expect(try edited("90s", ["type": "string", "format": "duration"]) == "1m30s")
        #expect(try edited("1500", ["type": "string", "format": "duration"]) == "1s500ms")
        #expect(try edited("1024KiB", ["type": "string", "format": "bytes"]) == "1MiB")
    }

    @Test(
        arguments: [
            ("maybe", ["type": "boolean"], "“maybe” is not true or false"),
            ("", ["type": "integer"], "“” is not a whole number such as 1500"),
            (
                "101", ["type": "integer", "minimum": 0, "maximum": 100],
                "is 101, but must be at most 100; give 0 to 100"
            ),
            (
                "9223372036854775808", ["type": "integer"],
                "“9223372036854775808” is not a whole number such as 1500"
            ),
            ("NaN", ["type": "number"], "“NaN” is not a number such as 0.5"),
            ("-Infinity", ["type": "number"], "“-Infinity” is not a number such as 0.5"),
            ("null", ["type": "string"], "null is never stored; to go back to the default, unset the path"),
            ("medium", ["enum": ["slow", "fast"]], "is “medium”, but must be one of “slow”, “fast”"),
            ("", ["type": "string", "minLength": 1], "has 0 characters, but must have at least 1"),
            (
                "[1, 'x']", ["type": "array", "items": ["type": "integer"]],
                "(item 2) is “x”, a string, but must be an integer"
            ),
            ("\u{1b}", ["type": "boolean"], "“\\u{1b}” is not true or false"),
        ] as [(String, JSONObject, String)])
    func refusals(_ text: String, _ schema: JSONObject, _ reason: String) throws {
        #expect(try Self.refusal(text, schema) == "lamp/x: \(reason)")
    }

    @Test func aTextThatIsNoJSONIsRefusedAsBySet() throws {
        let error = try #require(throws: SettingValueTextError.self) { try SettingValueText.parse("[1") }
        #expect(try Self.refusal("[1", ["type": "array"]) == "lamp/x: \(error)")
    }

    @Test func refusesWhatNoTextCanBe() throws {
        for number in [Double.nan, .infinity, -.infinity] {
            var row = try Self.row(["type": "number"])
            let refused = #expect(throws: RefusedValue.self) { try row.set(.number(number)) }
            #expect(refused?.problems.first?.code == "not_a_number", "\(refused as Any)")
        }
        var row = try Self.row(["type": "string"])
        #expect(throws: RefusedValue.self) { try row.set(.null) }
        #expect(throws: RefusedValue.self) { try row.set(["a": 1]) }
        let long = String(repeating: "x", count: ChangeSet.maximumValueBytes + 1)
        #expect(throws: RefusedValue.self) { try row.edit(text: long) }
        #expect(throws: RefusedValue.self) { try row.set(.string(long)) }
        #expect(!row.isEdited && row.value == nil && row.text == "" && row.shown.text == "(unset)")
        var group = try Self.row(["type": "object", "properties": ["a": ["type": "string"]]])
        for value: JSONValue in [1, [:], ["a": "b"], .null] {
            #expect(throws: RefusedValue.self) { try group.set(value) }
        }
        // No value at all is valid.
        var never = try Self.row(["not": [:]])
        #expect(throws: RefusedValue.self) { try never.edit(text: "x") }
        var single = try Self.row(["enum": [.null]])
        #expect(single.kind == .choice([]))
        #expect(throws: RefusedValue.self) { try single.edit(text: "x") }
        let schema = #expect(throws: RefusedValue.self) { try Self.row(["type": "objekt"]) }
        #expect(schema?.problems.first?.code == "schema")
        #expect(throws: RefusedValue.self) { try Self.row(["type": "integer"], "x") }
    }

    @Test func unset() throws {
        var row = try Self.row(["type": "integer", "default": 80], 10)
        #expect(row.value == 10 && row.isSet && !row.isEdited && row.changes.isEmpty && row.defaultValue == 80)
        row.unset()
        #expect(row.value == 80 && !row.isSet && row.isEdited)
        #expect(row.changes == [Change(try SettingPath("lamp/x"), nil)])
    }

    @Test func aSecretIsInNoText() throws {
        var row = try Self.row(
            ["type": "string", "writeOnly": true, "minLength": 8, "default": "hunter2default"], "hunter2old")
        func texts() -> String {
            var dumped = ""
            dump(row, to: &dumped)
            dump([row], to: &dumped)
            let styles = OutputForm.allCases.map {
                Renderer(form: $0).render(row) + Renderer(form: $0).render(SettingTable([row]))
            }
            return "\(row)\(row.text)\(String(reflecting: row))\(row.value as Any)\(row.hint)\(dumped)\(styles)"
        }
        #expect(!texts().contains("hunter2"))
        #expect(row.shown.text == "(secret)" && row.defaultValue == nil)
        try row.edit(text: "hunter2new")
        #expect(!texts().contains("hunter2"))
        #expect(row.changes.first?.value == "hunter2new")
        let refused = #expect(throws: RefusedValue.self) { try row.edit(text: "hunter2") }
        #expect(refused?.problems.map(\.code) == ["length"] && refused?.problems.first?.value == nil)
        #expect("\(refused as Any)".contains("hunter2") == false)
        let typed = #expect(throws: RefusedValue.self) { try row.edit(text: "[hunter2") }
        #expect("\(typed as Any)".contains("hunter2") == false)
    }

    @Test func aSecretOfOneOfTwoPatternsIsInNoText() throws {
        let group = try Self.row(
            [
                "type": "object",
                "patternProperties": [
                    "^eth": ["type": "object", "properties": ["key": ["type": "string", "writeOnly": true]]],
                    "^wl": ["type": "object", "properties": ["key": ["type": "string"]]],
                ],
            ], ["eth0": ["key": "hunter2"]], at: "lamp")
        let row = try #require(group.rows["lamp/eth0/key"])
        #expect(row.isSecret && row.shown.text == "(secret)")
        #expect(!Renderer(form: .json).render(row).contains("hunter2"))
    }

    @Test func anEmptyMapCannotBeUnset() throws {
        var map = try Self.row(["type": "object", "additionalProperties": ["type": "string"]], at: "lamp")
        map.unset()
        #expect(map.kind == .group && !map.isEdited && map.changes.isEmpty)
    }

    @Test func aReasonHasNoControlCharacters() {
        // The wire does not restrict the texts of another service.
        let problem = RefusedValue.Problem(RefusedChange(path: "a", code: "type", reason: "is \u{1b}[31m"))
        #expect(problem.description == "a: is \\x1b[31m")
    }

    @Test func groupsHaveRows() throws {
        let schema: JSONObject = [
            "type": "object",
            "properties": [
                "on": ["type": "boolean", "default": false],
                "light": [
                    "type": "object", "title": "Light",
                    "properties": ["colour": ["enum": ["red", "blue"]], "level": ["type": "integer", "x-unit": "%"]],
                ],
            ],
            "additionalProperties": [
                "type": "object",
                "properties": ["note": ["type": "string"], "key": ["type": "string", "writeOnly": true]],
            ],
        ]
        var group = try Self.row(
            schema, ["light": ["level": 3], "m~/": ["note": "a"], "n": ["key": "hidden"]], at: "lamp")
        let paths = [
            "lamp/light/colour", "lamp/light/level", "lamp/m~0~1/key", "lamp/m~0~1/note", "lamp/n/key", "lamp/n/note",
            "lamp/on",
        ]
        #expect([group].settings.map(\.path) == paths)
        #expect(group.rows.map(\.path) == ["lamp/light", "lamp/m~0~1", "lamp/n", "lamp/on"])
        #expect(group.rows.first?.title == "Light")
        #expect(
            "\(group)" == """
                lamp/light/colour = (unset)
                lamp/light/level = 3 %
                lamp/m~0~1/key = (unset)
                lamp/m~0~1/note = a
                lamp/n/key = (secret)
                lamp/n/note = (unset)
                lamp/on = false  (default)
                """)
        try group.rows["lamp/light/colour"]?.edit(text: "blue")
        #expect(throws: RefusedValue.self) { try group.rows["lamp/light/colour"]?.edit(text: "green") }
        try group.rows["lamp/m~0~1/note"]?.set("b")
        group.rows["lamp/on"] = nil
        group.rows["lamp/on"] = group.rows["lamp/n/note"]
        #expect(group.rows["lamp/nothing"] == nil)
        #expect(group.isEdited && group.changes.map(\.path.text) == ["lamp/light/colour", "lamp/m~0~1/note"])
        #expect([group].settings.map(\.path) == paths)
        group.unset()
        #expect(group.changes.count == paths.count && group.changes.allSatisfy { $0.value == nil })
    }

    @Test func styles() throws {
        let rows = [
            try Self.row(
                ["type": "integer", "title": "Level", "default": 80, "minimum": 0, "maximum": 100, "x-unit": "%"],
                at: "lamp/level"),
            try Self.row(["type": "string", "maxLength": 40], "世界\u{1b}[2J\u{9b}1m", at: "lamp/name"),
            try Self.row(["enum": ["slow", "fast"]], "fast", at: "lamp/speed"),
        ]
        #expect(
            Renderer(form: .text).render(SettingTable(rows)) == """
                SETTING     VALUE              ALLOWED
                lamp/level  80 %               integer; 0 to 100; in %
                lamp/name   世界\\x1b[2J\\x9b1m  string; at most 40 characters
                lamp/speed  fast               one of slow, fast

                """)
        #expect(
            Renderer(form: .text).render(rows) == """
                lamp/level = 80 %  (default)
                lamp/name = 世界\\x1b[2J\\x9b1m
                lamp/speed = fast

                """)
        #expect(
            Renderer(form: .jsonLines).render(rows[0]) == """
                {"path":"lamp/level","types":["integer"],"title":"Level","default":80,"constraints":\
                {"minimum":0,"maximum":100,"x-unit":"%"},"kind":"number","value":80,"set":false,"edited":false}

                """)
        #expect(try JSONReader.read(Renderer(form: .json).render(SettingTable(rows))).arrayValue?.count == 3)
        #expect(Renderer(form: .text).render(SettingTable([])) == "there is no setting here\n")
    }

    @Test func refusalsHaveStyles() throws {
        var row = try Self.row(["type": "string", "maxLength": 2, "pattern": "^a"])
        let refused = try #require(throws: RefusedValue.self) { try row.set("x\u{1b}y") }
        let lines = Renderer(form: .text).render(refused).split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("lamp/x: ") }, "\(lines)")
        #expect(!refused.description.unicodeScalars.contains { $0.value == 0x1b })
        let json = try JSONReader.read(Renderer(form: .json).render(refused))
        #expect(json["problems"]?.arrayValue?.map { $0["code"]?.stringValue } == ["length", "pattern"])
        #expect(json["problems"]?[0]?["value"] == "x\u{1b}y")
    }

    @Test func aRecursiveSchemaIsWrittenOut() throws {
        let schema: JSONObject = [
            "type": "array", "items": ["$ref": "#/$defs/n"],
            "$defs": ["n": ["type": "array", "items": ["$ref": "#/$defs/n"]]],
        ]
        var row = try Self.row(schema)
        try row.edit(text: "[[], [[]]]")
        #expect(throws: RefusedValue.self) { try row.edit(text: "[[], [[1]]]") }
    }
}
