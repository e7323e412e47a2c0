import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SchemaUnevaluatedTests {
    @Test(arguments: [
        SchemaCase("{unevaluatedProperties: true}", valid: ["{a: 1}", "{}"]),
        SchemaCase("{unevaluatedProperties: {minLength: 3}}", valid: ["{a: 'abc'}", "{}"], invalid: ["{a: 'ab'}"]),
        SchemaCase("{unevaluatedProperties: false}", valid: ["{}", "[1]", "'x'"], invalid: ["{a: 1}"]),
        SchemaCase("{properties: {a: {}}, unevaluatedProperties: false}", valid: ["{a: 1}"], invalid: ["{a: 1, b: 2}"]),
        SchemaCase(
            "{patternProperties: {'^a': {}}, unevaluatedProperties: false}", valid: ["{ab: 1}"],
            invalid: ["{ab: 1, b: 2}"]),
        SchemaCase(
            "{properties: {a: {}}, additionalProperties: true, unevaluatedProperties: false}", valid: ["{a: 1, b: 2}"]),
        SchemaCase(
            "{properties: {a: {}}, allOf: [{properties: {b: {}}}], unevaluatedProperties: false}",
            valid: ["{a: 1, b: 2}"], invalid: ["{a: 1, b: 2, c: 3}"]),
        SchemaCase(
            "{properties: {a: {}}, allOf: [{additionalProperties: true}], unevaluatedProperties: false}",
            valid: ["{a: 1, b: 2}"]),
        SchemaCase("{allOf: [{unevaluatedProperties: true}], unevaluatedProperties: false}", valid: ["{a: 1}"]),
        SchemaCase(
            "{properties: {a: {}}, anyOf: [{properties: {b: {const: 'b'}}, required: ['b']}, {properties: {c: {const: 'c'}}, required: ['c']}], unevaluatedProperties: false}",
            valid: ["{a: 1, b: 'b'}", "{a: 1, b: 'b', c: 'c'}", "{c: 'c'}"],
            invalid: ["{a: 1, b: 'b', c: 'x'}", "{a: 1, b: 'b', d: 1}"]),
        SchemaCase(
            "{properties: {a: {}}, oneOf: [{properties: {b: {const: 1}}, required: ['b']}, {properties: {c: {const: 1}}, required: ['c']}], unevaluatedProperties: false}",
            valid: ["{a: 1, b: 1}"], invalid: ["{a: 1, b: 1, q: 1}"]),
        SchemaCase(
            "{properties: {a: {}}, not: {not: {properties: {b: {const: 1}}, required: ['b']}}, unevaluatedProperties: false}",
            invalid: ["{a: 1, b: 1}"]),
        SchemaCase(
            "{if: {properties: {a: {const: 't'}}, required: ['a']}, then: {properties: {b: {}}, required: ['b']}, else: {properties: {c: {}}, required: ['c']}, unevaluatedProperties: false}",
            valid: ["{a: 't', b: 1}", "{c: 1}"], invalid: ["{a: 't', b: 1, c: 1}", "{c: 1, d: 1}", "{a: 'x', c: 1}"]),
        SchemaCase(
            "{if: {properties: {a: {const: 't'}}, required: ['a']}, unevaluatedProperties: false}", valid: ["{a: 't'}"],
            invalid: ["{a: 'x'}", "{a: 't', b: 1}"]),
        SchemaCase(
            "{properties: {a: {}}, dependentSchemas: {a: {properties: {b: {const: 1}}, required: ['b']}}, unevaluatedProperties: false}",
            valid: ["{a: 1, b: 1}"], invalid: ["{b: 1}", "{a: 1, b: 1, c: 1}"]),
        SchemaCase(
            "{$ref: '#/$defs/b', properties: {a: {}}, unevaluatedProperties: false, $defs: {b: {properties: {b: {}}}}}",
            valid: ["{a: 1, b: 1}"], invalid: ["{a: 1, b: 1, c: 1}"]),
        SchemaCase(
            "{unevaluatedProperties: false, $ref: '#/$defs/b', $defs: {b: {$ref: '#/$defs/c', properties: {b: {}}}, c: {properties: {c: {}}}}}",
            valid: ["{b: 1, c: 1}"], invalid: ["{d: 1}"]),
        SchemaCase("{properties: {a: {}}, allOf: [{unevaluatedProperties: false}]}", invalid: ["{a: 1}"]),
        SchemaCase(
            "{allOf: [{properties: {a: true}}, {unevaluatedProperties: false}]}", valid: ["{}"], invalid: ["{a: 1}"]),
        SchemaCase(
            "{type: 'object', properties: {a: {properties: {b: {}}, unevaluatedProperties: false}}, unevaluatedProperties: false}",
            valid: ["{a: {b: 1}}"], invalid: ["{a: {c: 1}}", "{b: 1}"]),
        SchemaCase(
            "{properties: {a: {properties: {b: {}}}}, allOf: [{properties: {a: {properties: {c: {}}, unevaluatedProperties: false}}}]}",
            valid: ["{a: {c: 1}}"], invalid: ["{a: {b: 1}}"]),
        SchemaCase(
            "{anyOf: [true, {properties: {a: {}}}], unevaluatedProperties: false}", valid: ["{a: 1}"],
            invalid: ["{b: 1}"]),
        SchemaCase(
            "{propertyNames: {maxLength: 1}, unevaluatedProperties: {type: 'number'}}", valid: ["{a: 1}"],
            invalid: ["{a: 'b'}", "{aa: 1}"]),
        SchemaCase(
            "{$defs: {n: {properties: {kids: {items: {$ref: '#/$defs/n'}}, v: {}}, unevaluatedProperties: false}}, $ref: '#/$defs/n'}",
            valid: ["{kids: [{v: 1}, {kids: []}]}"], invalid: ["{kids: [{x: 1}]}", "{x: 1}"]),
        SchemaCase(
            "{properties: {a: {type: 'string'}}, unevaluatedProperties: {type: 'null'}}", valid: ["{a: 'x', b: null}"],
            invalid: ["{a: null}", "{b: 1}"]),
    ])
    func properties(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test(arguments: [
        SchemaCase("{unevaluatedItems: false}", valid: ["[]", "{a: 1}"], invalid: ["[1]"]),
        SchemaCase("{unevaluatedItems: {type: 'string'}}", valid: ["['a']"], invalid: ["[1]"]),
        SchemaCase("{items: {type: 'string'}, unevaluatedItems: false}", valid: ["['a', 'b']"]),
        SchemaCase("{prefixItems: [{}], unevaluatedItems: false}", valid: ["[1]"], invalid: ["[1, 2]"]),
        SchemaCase("{prefixItems: [{}], items: true, unevaluatedItems: false}", valid: ["[1, 2]"]),
        SchemaCase(
            "{prefixItems: [{}], allOf: [{prefixItems: [true, {type: 'number'}]}], unevaluatedItems: false}",
            valid: ["['a', 1]"], invalid: ["['a', 1, 2]", "['a', 'b']"]),
        SchemaCase(
            "{allOf: [{prefixItems: [{}]}, {items: {type: 'number'}}], unevaluatedItems: false}", valid: ["[1, 2]"],
            invalid: ["['a', 1]"]),
        SchemaCase(
            "{allOf: [{prefixItems: [{}], unevaluatedItems: true}], unevaluatedItems: false}", valid: ["[1, 2, 3]"]),
        SchemaCase(
            "{prefixItems: [{const: 'a'}], anyOf: [{prefixItems: [true, {const: 'b'}]}, {prefixItems: [true, true, {const: 'c'}]}], unevaluatedItems: false}",
            valid: ["['a', 'b']", "['a', 'b', 'c']"], invalid: ["['a', 'b', 'x']", "['a', 'b', 'c', 'd']"]),
        SchemaCase(
            "{prefixItems: [{const: 'a'}], oneOf: [{prefixItems: [true, {const: 'b'}]}, {prefixItems: [true, {const: 'c'}]}], unevaluatedItems: false}",
            valid: ["['a', 'b']"], invalid: ["['a', 'b', 1]"]),
        SchemaCase(
            "{prefixItems: [{const: 'a'}], not: {not: {prefixItems: [true, {const: 'b'}]}}, unevaluatedItems: false}",
            invalid: ["['a', 'b']"]),
        SchemaCase(
            "{if: {prefixItems: [{const: 'a'}]}, then: {prefixItems: [true, {const: 'b'}]}, else: {prefixItems: [true, true, true]}, unevaluatedItems: false}",
            valid: ["['a', 'b']", "['x', 1, 2]"], invalid: ["['a', 'b', 'c']", "['x', 1, 2, 3]"]),
        SchemaCase(
            "{contains: {multipleOf: 2}, unevaluatedItems: {multipleOf: 3}}", valid: ["[2, 3, 4, 6]"],
            invalid: ["[2, 3, 5]", "[3]"]),
        SchemaCase(
            "{prefixItems: [true], contains: {type: 'string'}, unevaluatedItems: false}", valid: ["[1, 'a', 'b']"],
            invalid: ["[1, 2]", "['a', 'b', 1]"]),
        SchemaCase(
            "{allOf: [{contains: {multipleOf: 2}}, {contains: {multipleOf: 3}}], unevaluatedItems: {multipleOf: 5}}",
            valid: ["[2, 3, 4, 5, 6]"], invalid: ["[2, 3, 4, 7, 8]"]),
        SchemaCase(
            "{if: {contains: {const: 'a'}}, then: {if: {contains: {const: 'b'}}, then: {if: {contains: {const: 'c'}}}}, unevaluatedItems: false}",
            valid: ["[]", "['a', 'a']", "['a', 'b', 'a']", "['c', 'a', 'c', 'b']"],
            invalid: ["['b', 'b']", "['c']", "['c', 'b', 'c']", "['c', 'a', 'c']"]),
        SchemaCase(
            "{contains: {const: 'a'}, minContains: 0, unevaluatedItems: false}", valid: ["[]", "['a', 'a']"],
            invalid: ["['b']", "['a', 'b']"]),
        SchemaCase(
            "{$ref: '#/$defs/b', prefixItems: [{}], unevaluatedItems: false, $defs: {b: {prefixItems: [true, {}]}}}",
            valid: ["[1, 2]"], invalid: ["[1, 2, 3]"]),
        SchemaCase("{allOf: [{prefixItems: [true]}, {unevaluatedItems: false}]}", invalid: ["[1]"]),
        SchemaCase(
            "{properties: {a: {prefixItems: [{}], unevaluatedItems: false}}, anyOf: [{properties: {a: {prefixItems: [true, {}]}}}]}",
            valid: ["{a: [1]}"], invalid: ["{a: [1, 2]}"]),
        SchemaCase("{unevaluatedItems: {type: 'null'}, items: {type: 'string'}}", invalid: ["[null]"]),
    ])
    func items(_ one: SchemaCase) throws {
        try one.check()
    }

    /// A member that is known to be wrong is reported once, not once more as unevaluated.
    @Test func aBrokenMemberIsNotUnevaluatedBesides() throws {
        let schema = try compiled("{allOf: [{properties: {a: {type: 'integer'}}}], unevaluatedProperties: false}")
        let report = schema.validate(["a": "x", "b": 1])
        #expect(report.violations.map(\.keyword) == ["type", "unevaluatedProperties"])
        #expect(report.violations.map(\.instancePath) == ["/a", "/b"])
    }
}
