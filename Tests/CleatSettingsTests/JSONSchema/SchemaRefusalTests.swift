import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SchemaRefusalTests {
    @Test(
        arguments: [
            ("{minimun: 1}", "minimun", SchemaError.Code.unsupportedKeyword),
            ("{definitions: {}}", "definitions", .unsupportedKeyword),
            ("{$dynamicRef: '#a'}", "$dynamicRef", .unsupportedKeyword),
            ("{$vocabulary: {}}", "$vocabulary", .unsupportedKeyword),
            ("{contentMediaType: 'x'}", "contentMediaType", .unsupportedKeyword),
            ("{dependencies: {}}", "dependencies", .unsupportedKeyword),
            ("{additionalItems: {}}", "additionalItems", .unsupportedKeyword),
            ("{'X-a': 1}", "X-a", .unsupportedKeyword),
            ("{$schema: 'http://json-schema.org/draft-07/schema#'}", "$schema", .invalidKeyword),
            ("{$schema: 1}", "$schema", .invalidKeyword),
            ("{type: 'text'}", "type", .invalidKeyword), ("{type: []}", "type", .invalidKeyword),
            ("{type: ['string', 'string']}", "type", .invalidKeyword), ("{type: 1}", "type", .invalidKeyword),
            ("{enum: 1}", "enum", .invalidKeyword), ("{minimum: '1'}", "minimum", .invalidKeyword),
            ("{multipleOf: 0}", "multipleOf", .invalidKeyword), ("{multipleOf: -1}", "multipleOf", .invalidKeyword),
            ("{minLength: -1}", "minLength", .invalidKeyword), ("{maxLength: 1.5}", "maxLength", .invalidKeyword),
            ("{minItems: '1'}", "minItems", .invalidKeyword), ("{maxContains: null}", "maxContains", .invalidKeyword),
            ("{pattern: '('}", "pattern", .invalidKeyword), ("{pattern: '(?=a)'}", "pattern", .invalidKeyword),
            ("{pattern: 1}", "pattern", .invalidKeyword), ("{format: 1}", "format", .invalidKeyword),
            ("{items: [true]}", "items", .invalidKeyword), ("{items: 1}", "items", .invalidKeyword),
            ("{prefixItems: []}", "prefixItems", .invalidKeyword),
            ("{prefixItems: {}}", "prefixItems", .invalidKeyword), ("{uniqueItems: 1}", "uniqueItems", .invalidKeyword),
            ("{properties: []}", "properties", .invalidKeyword), ("{properties: {a: 1}}", "a", .invalidKeyword),
            ("{patternProperties: {'(': {}}}", "(", .invalidKeyword),
            ("{additionalProperties: 'x'}", "additionalProperties", .invalidKeyword),
            ("{required: 'a'}", "required", .invalidKeyword), ("{required: [1]}", "required", .invalidKeyword),
            ("{required: ['a', 'a']}", "required", .invalidKeyword),
            ("{dependentRequired: []}", "dependentRequired", .invalidKeyword),
            ("{dependentRequired: {a: 1}}", "dependentRequired", .invalidKeyword),
            ("{dependentSchemas: {a: []}}", "a", .invalidKeyword), ("{allOf: []}", "allOf", .invalidKeyword),
            ("{anyOf: {}}", "anyOf", .invalidKeyword), ("{oneOf: [1]}", "0", .invalidKeyword),
            ("{not: 1}", "not", .invalidKeyword), ("{if: 'a'}", "if", .invalidKeyword),
            ("{title: 1}", "title", .invalidKeyword), ("{description: []}", "description", .invalidKeyword),
            ("{examples: {}}", "examples", .invalidKeyword), ("{deprecated: 'yes'}", "deprecated", .invalidKeyword),
            ("{readOnly: 0}", "readOnly", .invalidKeyword), ("{writeOnly: 0}", "writeOnly", .invalidKeyword),
            ("{$comment: 1}", "$comment", .invalidKeyword), ("{$defs: []}", "$defs", .invalidKeyword),
            ("{$id: 1}", "$id", .invalidKeyword),
        ] as [(String, String, SchemaError.Code)])
    func refusesByName(_ text: String, _ last: String, _ code: SchemaError.Code) {
        for use in [JSONSchema.Use.documents(assertFormat: true), .settings] {
            let error = #expect(throws: SchemaErrors.self) { try compiled(text, for: use) }
            #expect(error?.problems.first?.code == code)
            #expect(error?.problems.first?.pointer.last == last)
            #expect(error?.problems.first?.message.utf8.isEmpty == false)
        }
    }

    @Test func reportsAllProblemsAtOnce() {
        let text = "{type: 'text', minimun: 1, properties: {a: {minLength: -1, pattern: '['}, b: {allOf: [1]}}}"
        let error = #expect(throws: SchemaErrors.self) { try compiled(text) }
        #expect(
            error?.problems.map { $0.pointer.joined(separator: "/") } == [
                "type", "properties/a/minLength", "properties/a/pattern", "properties/b/allOf/0", "minimun",
            ])
        #expect(error?.problems.map(\.keyword) == ["type", "minLength", "pattern", nil, "minimun"])
    }

    @Test func boundsTheReportedProblems() {
        let many = JSONObject((0..<1000).map { ("k\($0)", .bool(true)) })
        let error = #expect(throws: SchemaErrors.self) { try JSONSchema(.object(many), for: .settings) }
        #expect(error?.problems.count == SchemaErrors.maximumCount)
    }

    @Test(arguments: [
        "{type: 'integer', default: 'x'}", "{minimum: 5, default: 1}", "{default: null, type: 'string'}",
        "{$ref: '#/$defs/a', default: 1, $defs: {a: {maximum: 0}}}",
        "{properties: {a: {enum: ['x'], default: 'y'}}}",
        "{type: 'string', format: 'duration', maximum: 1000, default: '2s'}",
    ])
    func aDefaultThatBreaksItsOwnRulesIsRefusedInSettings(_ text: String) throws {
        let error = #expect(throws: SchemaErrors.self) { try compiled(text, for: .settings) }
        #expect(error?.problems.map(\.keyword) == ["default"])
        _ = try compiled(text)
    }

    @Test(arguments: [
        "nobody-knows", "Date", "idn-email", "idn-hostname", "iri", "iri-reference", "uri-template",
    ])
    func unknownFormatsAreRefusedByName(_ name: String) throws {
        for use in [JSONSchema.Use.settings, .documents(assertFormat: true)] {
            let error = #expect(throws: SchemaErrors.self) { try compiled("{items: {format: '\(name)'}}", for: use) }
            #expect(error?.problems.first?.pointer == ["items", "format"])
            #expect(
                error?.problems.first?.message.utf8.starts(with: "“format” “\(name)” is not supported; known are".utf8)
                    == true)
        }
        // Where a format only describes values, so does an unknown one.
        #expect(try compiled("{format: '\(name)'}").accepts("x"))
    }
}
