import CleatJSON
import Testing

@testable import CleatSettings

/// Schemas and values that are made to hang, to grow or to crash what reads them.
@Suite struct SchemaHostilityTests {
    /// Each of 30 definitions asks about the next one twice: 2^30 checks of one value.
    private var doubling: String {
        let definitions = (0..<30).map {
            "d\($0): {allOf: [{$ref: '#/$defs/d\($0 + 1)'}, {$ref: '#/$defs/d\($0 + 1)'}]}"
        }
        return "{$ref: '#/$defs/d0', $defs: {\(definitions.joined(separator: ", ")), d30: {type: 'integer'}}}"
    }

    @Test func workIsBounded() throws {
        let schema = try compiled(doubling)
        let limits = ValidationLimits(steps: 100_000)
        let report = schema.validate(1, limits: limits)
        #expect(!report.isComplete && !report.isValid)
        #expect(report.violations.map(\.keyword) == ["limit"])
        #expect(report.violations.first?.reason.utf8Contains("100000 steps") == true)
        #expect(!schema.accepts(1, limits: limits))
    }

    @Test(arguments: ["not", "if", "items", "anyOf", "oneOf", "contains", "unevaluatedItems"])
    func workIsBoundedInsideEachKeyword(_ keyword: String) throws {
        let inner = "{$ref: '#/$defs/d0'}"
        let outer =
            switch keyword {
            case "anyOf", "oneOf": "{\(keyword): [false, \(inner)]}"
            default: "{\(keyword): \(inner)}"
            }
        let definitions = (0..<30).map {
            "d\($0): {allOf: [{$ref: '#/$defs/d\($0 + 1)'}, {$ref: '#/$defs/d\($0 + 1)'}]}"
        }
        let schema = try compiled(
            "{allOf: [\(outer)], $defs: {\(definitions.joined(separator: ", ")), d30: {type: ['integer', 'array']}}}")
        let report = schema.validate([1], limits: ValidationLimits(steps: 20_000))
        #expect(!report.isComplete && !report.isValid && report.violations.last?.keyword == "limit")
        #expect(!schema.accepts([1], limits: ValidationLimits(steps: 20_000)))
    }

    @Test func patternsCountAsWork() throws {
        let schema = try compiled("{items: {pattern: '(x+x+)+y'}}")
        let text = JSONValue.string(String(repeating: "x", count: 2000))
        #expect(
            !schema.validate(.array(Array(repeating: text, count: 100)), limits: ValidationLimits(steps: 50_000))
                .isComplete)
        let names = try compiled("{patternProperties: {'(x+x+)+y': {}}}")
        #expect(
            !names.validate(
                .object([String(repeating: "x", count: 100_000): 1]), limits: ValidationLimits(steps: 50_000)
            ).isComplete)
    }

    @Test func largeComparisonsCountAsWork() throws {
        let large = JSONValue.array((0..<2000).map { .integer($0) })
        let schema = try compiled("{items: {enum: [\((0..<50).map { "[\($0)]" }.joined(separator: ","))]}}")
        #expect(
            !schema.validate(.array(Array(repeating: large, count: 100)), limits: ValidationLimits(steps: 20_000))
                .isComplete)
        let unique = try compiled("{uniqueItems: true}")
        #expect(!unique.validate(large, limits: ValidationLimits(steps: 1000)).isComplete)
        #expect(unique.validate(large).isValid)
    }

    @Test func depthIsBounded() throws {
        let chain = (0..<400).map { "d\($0): {$ref: '#/$defs/d\($0 + 1)'}" }.joined(separator: ", ")
        let schema = try compiled("{$ref: '#/$defs/d0', $defs: {\(chain), d400: {type: 'integer'}}}")
        let report = schema.validate(1)
        #expect(!report.isComplete && report.violations.map(\.keyword) == ["limit"])
        // A tree as deep as a document may be is checked to its end.
        let tree = try compiled(
            "{$defs: {t: {anyOf: [{type: 'array', items: {$ref: '#/$defs/t'}}, {type: 'null'}]}}, $ref: '#/$defs/t'}")
        let deep = (0..<63).reduce(JSONValue.null) { value, _ in [value] }
        #expect(tree.validate(deep).isValid)
        #expect(!tree.validate((0..<63).reduce(JSONValue.integer(1)) { value, _ in [value] }).isValid)
    }

    @Test func schemasAreBounded() throws {
        let deep = (0..<100).reduce(JSONValue.object([:])) { value, _ in ["items": value] }
        for use in [JSONSchema.Use.settings, .documents(assertFormat: false)] {
            let error = #expect(throws: SchemaErrors.self) { try JSONSchema(deep, for: use) }
            #expect(error?.problems.map(\.code) == [.tooDeep])
        }
        let wide = JSONValue.object([
            "prefixItems": .array(Array(repeating: true, count: SchemaCompiler.maximumCount + 10))
        ])
        let error = #expect(throws: SchemaErrors.self) { try JSONSchema(wide, for: .settings) }
        #expect(error?.problems.map(\.code) == [.tooLarge])
    }

    @Test func textsAreBounded() {
        let levels = String(repeating: "{\"items\":", count: 100) + "{}" + String(repeating: "}", count: 100)
        let large = "{\"description\": \"" + String(repeating: "a", count: 10 << 20) + "\"}"
        for (text, part) in [(levels, "64 levels"), (large, "1048576"), ("", "empty"), ("{", "ends")] {
            let error = #expect(throws: SchemaErrors.self) { try SchemaText.read(Array(text.utf8), file: "a.json") }
            #expect(error?.problems.first?.code == .invalidText && error?.file == "a.json")
            #expect(error?.problems.first?.message.utf8Contains(part) == true, "\(error?.description ?? "")")
        }
    }

    @Test(arguments: ["(a+)+$", "(a|aa)+$", "(.*){50}x", "((a{1,50}){1,50}){1,50}", "(?:a?){2000}a{2000}"])
    func patternBombsNeitherHangNorGrow(_ pattern: String) throws {
        let text = "{pattern: '\(pattern)'}"
        guard let schema = try? compiled(text) else {
            // What would need too many steps is refused when it is read.
            #expect(throws: SchemaErrors.self) { try compiled(text) }
            return
        }
        let report = schema.validate(
            .string(String(repeating: "a", count: 20_000) + "!"), limits: ValidationLimits(steps: 2_000_000))
        #expect(!report.isValid || report.isComplete)
    }

    @Test func manyPatternsTogetherAreBounded() {
        let patterns = JSONObject((0..<5000).map { ("^a{\(5000 + $0)}$", true) })
        let error = #expect(throws: SchemaErrors.self) {
            try JSONSchema(["patternProperties": .object(patterns)], for: .documents(assertFormat: false))
        }
        #expect(error?.problems.map(\.code) == [.tooLarge] && error?.problems.first?.keyword == "patternProperties")
    }

    @Test func urisAreBounded() {
        let long = String(repeating: "a", count: SchemaCompiler.maximumURIBytes + 1)
        for (schema, keyword) in [(["$id": .string(long)], "$id"), (["$ref": .string("#" + long)], "$ref")]
            as [(JSONValue, String)]
        {
            let error = #expect(throws: SchemaErrors.self) { try JSONSchema(schema, for: .settings) }
            #expect(error?.problems.map(\.keyword) == [keyword])
        }
    }

    @Test func defaultsShareTheirWork() throws {
        let definitions = (0..<30).map {
            "d\($0): {allOf: [{$ref: '#/$defs/d\($0 + 1)'}, {$ref: '#/$defs/d\($0 + 1)'}]}"
        }
        let properties = (0..<100).map { "p\($0): {$ref: '#/$defs/d0', default: 1}" }
        let text =
            "{properties: {\(properties.joined(separator: ", "))}, $defs: {\(definitions.joined(separator: ", ")), d30: {type: 'integer'}}}"
        let json = try JSONReader.read(text, dialect: .json5)
        let error = #expect(throws: SchemaErrors.self) {
            try JSONSchema(json, for: .settings, limits: ValidationLimits(steps: 10_000))
        }
        #expect(error?.problems.count == SchemaErrors.maximumCount)
        #expect(error?.problems.allSatisfy { $0.keyword == "default" } == true)
    }

    /// Returns the errors of a schema that is too large for a reduced limit of work.
    private func treeCodes(_ text: String) throws -> [SchemaError.Code] {
        var builder = SchemaTreeBuilder(schema: try compiled(text, for: .settings), file: "a.json", steps: 200_000)
        let error = #expect(throws: SchemaErrors.self) { try builder.build() }
        return error?.problems.map(\.code) ?? []
    }

    /// Many branches, asked about at every one of many places.
    @Test func workOfTheTreeIsBounded() throws {
        let branches = (0..<500).map { "{required: ['r\($0)']}" }.joined(separator: ", ")
        let places = (0..<100).map { "p\($0): {$ref: '#/$defs/b'}" }.joined(separator: ", ")
        let codes = try treeCodes("{type: 'object', properties: {\(places)}, $defs: {b: {anyOf: [\(branches)]}}}")
        #expect(codes == [.tooLarge])
    }

    /// A tree of settings out of definitions that each hold the next one twice.
    @Test func treesOfSettingsAreBounded() throws {
        let groups = (0..<20).map { index in
            let next = "{$ref: '#/$defs/d\(index + 1)'}"
            return "d\(index): {type: 'object', properties: {a: \(next), b: \(next)}}"
        }
        let codes = try treeCodes(
            "{type: 'object', properties: {x: {$ref: '#/$defs/d0'}}, $defs: {\(groups.joined(separator: ", ")), d20: {type: 'integer'}}}"
        )
        #expect(codes == [.tooLarge])
    }

    /// Names that many patterns are matched against.
    @Test func patternsOfTheTreeAreWorkToo() throws {
        let names = (0..<50).map { "\(String(repeating: "x", count: 200))\($0): true" }.joined(separator: ", ")
        let codes = try treeCodes(
            "{type: 'object', properties: {g: {type: 'object', properties: {\(names)}, patternProperties: {'(x+x+)+y': true}}}}"
        )
        #expect(codes == [.tooLarge])
    }
}
