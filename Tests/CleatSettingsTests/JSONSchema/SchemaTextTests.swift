import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SchemaTextTests {
    private func read(_ text: String, dialect: JSONDialect = .json5, file: String = "a.json5") throws -> Schema {
        try SchemaText.read(Array(text.utf8), dialect: dialect, file: file)
    }

    @Test func errorsNameFileLineColumnAndKeyword() throws {
        let text = """
            {
              "type": "object",
              "properties": {
                "a": { "type": "integer", "minimun": 1 },
                "b": { "type": "strnig" },
                "c": { "$ref": "#/$defs/none" },
              },
            }
            """
        let error = #expect(throws: SchemaErrors.self) { try read(text, file: "/etc/cleat/schema.d/a.json") }
        let problems = try #require(error?.problems)
        #expect(problems.map(\.keyword) == ["minimun", "type", "$ref"])
        #expect(
            problems.map(\.position) == [
                JSONPosition(line: 4, column: 31), JSONPosition(line: 5, column: 12), JSONPosition(line: 6, column: 12),
            ])
        #expect(error?.description.split(separator: "\n").count == 3)
        #expect(
            error?.description.hasPrefix("/etc/cleat/schema.d/a.json:4:31: schema, at /properties/a/minimun: “minimun”")
                == true)
    }

    @Test(arguments: [
        ("{", 1, 2), ("{\"a\": 1,\n \"a\": 2}", 2, 2), ("{\"type\": \"object\"} x", 1, 20),
    ])
    func brokenTextsNameThePlace(_ text: String, _ line: Int, _ column: Int) {
        let error = #expect(throws: SchemaErrors.self) { try read(text, dialect: .json, file: "b.json") }
        #expect(error?.problems.map(\.position) == [JSONPosition(line: line, column: column)])
        #expect(error?.file == "b.json" && error?.problems.first?.code == .invalidText)
    }

    @Test func problemsOfTheTreeHavePlacesToo() {
        let error = #expect(throws: SchemaErrors.self) {
            try read("{type: 'object',\n properties: {a: {type: ['object', 'string']},\n '..': {}}}")
        }
        #expect(error?.problems.map(\.position?.line) == [2, 3])
        #expect(error?.problems.map(\.code) == [.invalidTree, .invalidTree])
    }

    @Test func documentsAreCompiledWithPlaces() throws {
        let bytes = Array("{\"items\":\n {\"minimum\": \"x\"}}".utf8)
        let error = #expect(throws: SchemaErrors.self) {
            try SchemaText.compile(bytes, for: .documents(assertFormat: false), file: "s.json")
        }
        #expect(error?.problems.map(\.position) == [JSONPosition(line: 2, column: 3)])
        let fine = try SchemaText.compile(
            Array("{\"type\": \"null\"}".utf8), for: .documents(assertFormat: false), file: "s.json")
        #expect(fine.accepts(.null))
    }

    // MARK: More than one file

    private func merged(_ first: String, _ second: String) throws -> Schema {
        try read(first, file: "a.json").merged(with: read(second, file: "b.json"), from: "b.json")
    }

    @Test func aFileIsMergedWithWhatIsBuiltIn() throws {
        let file = try read(
            "{type: 'object', properties: {app: {type: 'object', properties: {port: {type: 'integer', minimum: 1, default: 80}}}, system: {type: 'object', properties: {motd: {type: 'string'}}}}}"
        )
        let schema = try Schema.builtIn.merged(with: file, from: "a.json5")
        let patterns = schema.entries().map(\.pattern)
        #expect(
            Set(patterns).isSuperset(of: [
                "app/port", "system/motd", "system/hostname", "network/interfaces/{name}/mtu",
            ]))
        #expect(patterns.count == Schema.builtIn.entries().count + 2)
        #expect(
            schema.problems(with: 0, at: try SettingPath("app/port")).map(\.reason) == ["is 0, but must be at least 1"])
        #expect(schema.problems(with: "-", at: try SettingPath("system/hostname")).map(\.code) == [.format])
        #expect(
            schema.problems(with: 1, at: try SettingPath("app/prot"), suggesting: true).first?.reason.contains(
                "app/port") == true)
        #expect(try Schema(json: schema.json).json == schema.json)
    }

    @Test(arguments: [
        ("{x: {type: 'integer'}}", "{x: {type: 'integer'}}", "x"),
        ("{x: {type: 'integer'}}", "{x: {type: 'object'}}", "x"),
        (
            "{x: {type: 'object', additionalProperties: {type: 'string'}}}",
            "{x: {type: 'object', properties: {y: {}}}}", "x/y"
        ),
        ("{x: {type: 'object', properties: {y: {}}}}", "{x: {type: 'object', additionalProperties: true}}", "x/y"),
        (
            "{x: {type: 'object', patternProperties: {'^a': {}}}}", "{x: {type: 'object', additionalProperties: true}}",
            "x"
        ),
        (
            "{a: {type: 'object', properties: {b: {type: 'object', properties: {c: {}}}}}}",
            "{a: {type: 'object', properties: {b: {type: 'object', properties: {c: {}}}}}}", "a/b/c"
        ),
    ])
    func twoFilesThatDefineOnePathAreToldApart(_ first: String, _ second: String, _ path: String) {
        let error = #expect(throws: SchemaErrors.self) {
            try merged("{type: 'object', properties: \(first)}", "{type: 'object', properties: \(second)}")
        }
        #expect(error?.problems.map(\.code) == [.conflict])
        let text = error?.problems.first?.message ?? ""
        #expect(text.utf8Contains("“\(path)”") && text.utf8Contains("a.json") && text.utf8Contains("b.json"), "\(text)")
    }

    @Test func rulesOfOneFileAreNotAskedAboutAnother() throws {
        let schema = try merged(
            "{type: 'object', properties: {g: {type: 'object', properties: {a: {}, b: {}}, not: {minProperties: 2}}}}",
            "{type: 'object', properties: {g: {type: 'object', properties: {c: {}}}}}")
        func problems(_ values: JSONObject) throws -> [String] {
            let before = LayeredSettings(schema: schema)
            let changes = try ChangeSet(values.map { Change(try SettingPath("g/\($0.key)"), $0.value) })
            return before.propose(changes).problems.map(\.description)
        }
        #expect(try problems(["a": 1, "c": 1]).isEmpty)
        #expect(try problems(["a": 1, "b": 1]).count == 1)
    }
}
