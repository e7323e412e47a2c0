import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SchemaReportTests {
    /// Every violation as `path keyword schema-path: reason`.
    private func lines(_ schema: String, _ value: String) throws -> [String] {
        let report = try compiled(schema, for: .documents(assertFormat: true)).validate(
            try JSONReader.read(value, dialect: .json5))
        #expect(report.count == report.violations.count)
        return report.violations.map { "\($0.instancePath) \($0.keyword) \($0.schemaPath): \($0.reason)" }
    }

    @Test(arguments: [
        ("{minimum: 5}", "3", " minimum #/minimum: is 3, but must be at least 5"),
        (
            "{properties: {a: {items: {maximum: 5}}}}", "{a: [1, 9]}",
            "/a/1 maximum #/properties/a/items/maximum: is 9, but must be at most 5"
        ),
        (
            "{$ref: '#/$defs/x', $defs: {x: {type: 'string'}}}", "1",
            " type #/$defs/x/type: is 1, an integer, but must be a string"
        ),
        (
            "{properties: {'a/b~': {const: 1}}}", "{'a/b~': 2}",
            "/a~1b~0 const #/properties/a~1b~0/const: is 2, but can only be 1"
        ),
        ("{enum: ['a', 1]}", "'b'", " enum #/enum: is “b”, but must be one of “a”, 1"),
        ("{exclusiveMinimum: 1}", "1", " exclusiveMinimum #/exclusiveMinimum: is 1, but must be greater than 1"),
        ("{multipleOf: 0.5}", "0.7", " multipleOf #/multipleOf: is 0.7, but must be a multiple of 0.5"),
        ("{minLength: 3}", "'ab'", " minLength #/minLength: has 2 characters, but must have at least 3"),
        ("{minLength: 3}", "'a'", " minLength #/minLength: has 1 character, but must have at least 3"),
        ("{minItems: 2}", "[1]", " minItems #/minItems: has 1 item, but must have at least 2"),
        ("{minProperties: 2}", "{a: 1}", " minProperties #/minProperties: has 1 entry, but must have at least 2"),
        ("{maxItems: 1}", "[1, 2]", " maxItems #/maxItems: has 2 items, but may have at most 1"),
        ("{minProperties: 1}", "{}", " minProperties #/minProperties: has 0 entries, but must have at least 1"),
        ("{pattern: '^a$'}", "'b'", " pattern #/pattern: is “b”, but must match the pattern ^a$"),
        ("{format: 'date'}", "'x'", " format #/format: is “x”, but must be a date such as “2024-02-29”"),
        ("{uniqueItems: true}", "[1, 2, 1]", " uniqueItems #/uniqueItems: holds 1 twice; remove one of the two"),
        (
            "{contains: {const: 1}}", "[2]",
            " contains #/contains: holds 0 items of the kind that “contains” describes, but must hold at least 1"
        ),
        (
            "{contains: {const: 1}, minContains: 2}", "[1]",
            " minContains #/minContains: holds 1 item of the kind that “contains” describes, but must hold at least 2"
        ),
        (
            "{contains: {const: 1}, maxContains: 1}", "[1, 1]",
            " maxContains #/maxContains: holds 2 items of the kind that “contains” describes, but may hold at most 1"
        ),
        ("{required: ['a']}", "{}", " required #/required: lacks “a”; add it"),
        (
            "{additionalProperties: false}", "{a: 1}",
            "/a additionalProperties #/additionalProperties: is not known; remove it"
        ),
        ("{properties: {a: false}}", "{a: 1}", "/a properties #/properties: is not allowed here; remove it"),
        ("{items: false}", "[1]", "/0 items #/items: is one item too many; remove it"),
        (
            "{propertyNames: {maxLength: 1}}", "{ab: 1}",
            "/ab maxLength #/propertyNames/maxLength: has 2 characters, but may have at most 1"
        ),
        (
            "{dependentRequired: {a: ['b']}}", "{a: 1}",
            " dependentRequired #/dependentRequired: has “a” and so needs “b” too; add it"
        ),
        ("{not: {type: 'integer'}}", "1", " not #/not: is 1, but must not be what “not” describes"),
        (
            "{oneOf: [{minimum: 1}, {minimum: 2}]}", "3",
            " oneOf #/oneOf: is 3, but fits alternatives 1 and 2 of “oneOf” where it may fit one only"
        ),
        (
            "{anyOf: [{minimum: 5}, {type: 'string'}]}", "1",
            " anyOf #/anyOf: is 1, but fits no alternative of “anyOf”: (1) it is 1, but must be at least 5; (2) it is 1, an integer, but must be a string"
        ),
        ("{if: true, then: {minimum: 5}}", "1", " minimum #/then/minimum: is 1, but must be at least 5"),
        (
            "{unevaluatedProperties: false}", "{a: 1}",
            "/a unevaluatedProperties #/unevaluatedProperties: is not known; remove it"
        ),
        ("false", "1", " false #: is 1, but nothing is allowed"),
    ])
    func namesPathValueRuleAndLimit(_ schema: String, _ value: String, _ expected: String) throws {
        #expect(try lines(schema, value) == [expected])
    }

    @Test func reportsAllViolationsAtOnce() throws {
        let schema = """
            {type: 'object', required: ['z'], properties: {a: {type: 'integer', minimum: 3}, b: {minLength: 2, pattern: 'x'},
             c: {items: {enum: [1]}}}, additionalProperties: false}
            """
        let found = try lines(schema, "{a: 'x', b: 'y', c: [1, 2, 3], d: 1}").map { $0.split(separator: ":")[0] }
        #expect(
            found == [
                " required #/required", "/a type #/properties/a/type", "/b minLength #/properties/b/minLength",
                "/b pattern #/properties/b/pattern", "/c/1 enum #/properties/c/items/enum",
                "/c/2 enum #/properties/c/items/enum", "/d additionalProperties #/additionalProperties",
            ])
    }

    @Test func boundsWhatIsReportedButCountsAll() throws {
        let schema = try compiled("{items: {type: 'string'}}")
        let report = schema.validate(.array(Array(repeating: 1, count: 1000)), limits: ValidationLimits(violations: 10))
        #expect(report.violations.count == 10 && report.count == 1000 && report.isComplete && !report.isValid)
    }

    @Test func longValuesAreShownShort() throws {
        let long = String(repeating: "a\n", count: 10_000)
        for schema in [
            "{const: 1}", "{type: 'null'}", "{enum: ['\(String(repeating: "b", count: 5000))']}",
            "{pattern: '^\(String(repeating: "c", count: 3000))$'}",
        ] {
            for value: JSONValue in [.string(long), .array([.string(long)]), ["k": .string(long)]] {
                for violation in try compiled(schema).validate(value).violations {
                    #expect(violation.description.utf8.count < 500)
                    #expect(!violation.description.utf8.contains(UInt8(ascii: "\n")))
                }
            }
        }
    }

    @Test(arguments: [
        "{properties: {p: {writeOnly: true, type: 'integer', enum: [1], maxLength: 2, pattern: '^x$'}}}",
        "{properties: {p: {writeOnly: true}}, allOf: [{properties: {p: {maxLength: 3}}}]}",
        "{properties: {p: {$ref: '#/$defs/s', maxLength: 3}}, $defs: {s: {writeOnly: true}}}",
        "{properties: {p: {anyOf: [{writeOnly: true, maxLength: 3}, {const: 1}]}}}",
        "{properties: {p: {writeOnly: true}}, const: 1}", "{properties: {p: {writeOnly: true}}, not: {}}",
        "{properties: {p: {writeOnly: true}}, items: true, type: 'array'}",
        "{patternProperties: {'^p': {writeOnly: true}}, additionalProperties: {type: 'object'}, anyOf: [{properties: {p: {maxLength: 1}}}, {maxProperties: 0}]}",
    ])
    func secretsAreNotShown(_ schema: String) throws {
        let report = try compiled(schema).validate(["p": "hunter2"])
        #expect(!report.isValid)
        for violation in report.violations {
            #expect(!violation.description.utf8Contains("hunter2") && violation.value?.utf8Contains("hunter2") != true)
        }
    }
}

extension String {
    /// Returns true if this text contains the bytes of another one.
    func utf8Contains(_ other: String) -> Bool {
        let bytes = Array(utf8)
        let wanted = Array(other.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
