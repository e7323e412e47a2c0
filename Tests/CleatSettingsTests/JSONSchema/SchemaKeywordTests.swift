import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SchemaKeywordTests {
    @Test(arguments: [
        SchemaCase("true", valid: ["1", "null", "{}", "[]"]), SchemaCase("{}", valid: ["1", "null", "'x'", "[{}]"]),
        SchemaCase("false", invalid: ["1", "null", "{}", "[]", "''"]),
        SchemaCase("{type: 'null'}", valid: ["null"], invalid: ["0", "false", "''", "[]", "{}"]),
        SchemaCase("{type: 'boolean'}", valid: ["true", "false"], invalid: ["0", "1", "'true'", "null"]),
        SchemaCase(
            "{type: 'integer'}", valid: ["1", "1.0", "-0", "1e3", "12345678910111213141516171819", "1e300"],
            invalid: ["1.1", "'1'", "true", "null", "[1]"]),
        SchemaCase("{type: 'number'}", valid: ["1", "1.5", "1e300"], invalid: ["'1'", "null", "true"]),
        SchemaCase("{type: 'string'}", valid: ["''", "'1'"], invalid: ["1", "null", "{}", "['a']"]),
        SchemaCase("{type: 'array'}", valid: ["[]", "[null]"], invalid: ["{}", "'[]'", "null"]),
        SchemaCase("{type: 'object'}", valid: ["{}", "{a: 1}"], invalid: ["[]", "'{}'", "null"]),
        SchemaCase("{type: ['integer', 'string']}", valid: ["1", "'a'"], invalid: ["1.5", "null", "true", "[]"]),
        SchemaCase("{type: ['string', 'null']}", valid: ["'a'", "null"], invalid: ["0", "false"]),
        SchemaCase(
            "{enum: [1, 'a', null, [], {a: 1}]}", valid: ["1", "1.0", "'a'", "null", "[]", "{a: 1.0}"],
            invalid: ["2", "'b'", "false", "[1]", "{a: 2}", "{}"]),
        SchemaCase("{enum: [false]}", valid: ["false"], invalid: ["0", "0.0", "null", "''"]),
        SchemaCase("{enum: [[false]]}", valid: ["[false]"], invalid: ["[0]", "[]"]),
        SchemaCase("{enum: [0]}", valid: ["0", "0.0", "-0"], invalid: ["false"]),
        SchemaCase("{enum: ['a\\u0000b']}", valid: ["'a\\u0000b'"], invalid: ["'ab'", "'a'"]),
        SchemaCase("{const: 2}", valid: ["2", "2.0"], invalid: ["5", "'2'", "true"]),
        SchemaCase("{const: null}", valid: ["null"], invalid: ["0", "false", "{}"]),
        SchemaCase(
            "{const: {a: 1, b: [2]}}", valid: ["{b: [2.0], a: 1}"], invalid: ["{a: 1}", "{a: 1, b: [2], c: 3}", "[1]"]),
        SchemaCase(
            "{const: 9007199254740992}", valid: ["9007199254740992", "9007199254740992.0"],
            invalid: ["9007199254740991", "9007199254740993"]),
        SchemaCase("{const: 'é'}", valid: ["'é'"], invalid: ["'e\\u0301'"]),
    ])
    func valuesOfAnyKind(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test(arguments: [
        SchemaCase("{minimum: 1.1}", valid: ["1.1", "2.6", "'x'", "null"], invalid: ["0.6", "1", "-5"]),
        SchemaCase("{minimum: -2}", valid: ["-2", "-2.0", "0"], invalid: ["-2.0001", "-3"]),
        SchemaCase("{maximum: 300}", valid: ["300", "300.0", "299.97", "[]"], invalid: ["300.5", "301"]),
        SchemaCase("{exclusiveMinimum: 1.1}", valid: ["1.2"], invalid: ["1.1", "0.6"]),
        SchemaCase("{exclusiveMaximum: 3}", valid: ["2.2", "-1"], invalid: ["3", "3.0", "3.5"]),
        SchemaCase("{maximum: 9223372036854775806}", valid: ["9223372036854775806"], invalid: ["9223372036854775807"]),
        SchemaCase("{maximum: 18446744073709551615}", valid: ["18446744073709551600"]),
        SchemaCase("{minimum: -18446744073709551615}", valid: ["-18446744073709551600"]),
        SchemaCase("{multipleOf: 2}", valid: ["10", "0", "-4", "'x'"], invalid: ["7", "1.5"]),
        SchemaCase("{multipleOf: 1.5}", valid: ["0", "4.5", "-3"], invalid: ["35", "4"]),
        SchemaCase("{multipleOf: 0.0001}", valid: ["0.0075", "12", "0"], invalid: ["0.00751"]),
        SchemaCase("{multipleOf: 0.01}", valid: ["0.07", "1.13", "4.35", "1234567.89"], invalid: ["0.071", "4.355"]),
        SchemaCase("{multipleOf: 1e-8}", valid: ["12391239123", "1"]),
        SchemaCase("{multipleOf: 0.123456789}", invalid: ["1e308"]),
        SchemaCase("{multipleOf: 3}", valid: ["9223372036854775806"], invalid: ["9223372036854775807", "1e300"]),
        SchemaCase("{multipleOf: 1e-300}", valid: ["1e300", "1e-299", "0"], invalid: ["1.5e-300", "5e-324"]),
        SchemaCase("{multipleOf: 1e300}", valid: ["0", "3e300"], invalid: ["1", "1e299"]),
    ])
    func numbers(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test(arguments: [
        SchemaCase("{minLength: 2}", valid: ["'ab'", "1", "'😀😀'"], invalid: ["'a'", "'😀'", "''"]),
        SchemaCase("{minLength: 2.0}", valid: ["'ab'"], invalid: ["'a'"]),
        SchemaCase("{maxLength: 2}", valid: ["'a'", "'ab'", "100", "'😀😀'"], invalid: ["'abc'", "'e\\u0301e'"]),
        SchemaCase("{maxLength: 1e30}", valid: ["'abc'"]), SchemaCase("{minLength: 1e30}", invalid: ["'abc'"]),
        SchemaCase("{pattern: '^a*$'}", valid: ["'aaa'", "true", "null", "{}", "''"], invalid: ["'abc'"]),
        SchemaCase("{pattern: 'a+'}", valid: ["'xaay'"], invalid: ["'b'", "''"]),
        SchemaCase("{pattern: '^\\\\p{Letter}+$'}", valid: ["'été'", "'日本'"], invalid: ["'1'", "'a b'"]),
        SchemaCase("{format: 'ipv4'}", valid: ["'nonsense'", "1"]),
        SchemaCase("{format: 'nobody knows it'}", valid: ["'x'"]),
    ])
    func strings(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test(arguments: [
        SchemaCase(
            "{items: {type: 'integer'}}", valid: ["[]", "[1, 2]", "{a: 'x'}", "'x'"], invalid: ["[1, 'x']", "[null]"]),
        SchemaCase("{items: false}", valid: ["[]"], invalid: ["[1]"]), SchemaCase("{items: true}", valid: ["[1, 'a']"]),
        SchemaCase(
            "{prefixItems: [{type: 'integer'}, {type: 'string'}]}",
            valid: ["[]", "[1]", "[1, 'a']", "[1, 'a', null]", "{'0': 'x'}"], invalid: ["['a', 1]", "[1, 1]"]),
        SchemaCase(
            "{prefixItems: [{}, true], items: {type: 'integer'}}", valid: ["['a', null, 3]", "['a']"],
            invalid: ["['a', null, 'b']"]),
        SchemaCase("{prefixItems: [true, false]}", valid: ["[1]"], invalid: ["[1, 2]"]),
        SchemaCase("{prefixItems: [{}], items: false}", valid: ["[]", "[1]"], invalid: ["[1, 2]"]),
        SchemaCase("{contains: {minimum: 5}}", valid: ["[3, 5]", "[6]", "{}", "['x']"], invalid: ["[]", "[2, 3]"]),
        SchemaCase("{contains: true}", valid: ["[1]"], invalid: ["[]"]),
        SchemaCase("{contains: false}", valid: ["'x'"], invalid: ["[]", "[1]"]),
        SchemaCase(
            "{contains: {const: 1}, minContains: 2}", valid: ["[1, 1]", "[1, 2, 1]"], invalid: ["[]", "[1]", "[1, 2]"]),
        SchemaCase(
            "{contains: {const: 1}, maxContains: 1}", valid: ["[1]", "[1, 2]"], invalid: ["[1, 1]", "[2]", "[]"]),
        SchemaCase(
            "{contains: {const: 1}, minContains: 1, maxContains: 2.0}", valid: ["[1]", "[1, 1]"],
            invalid: ["[]", "[1, 1, 1]"]),
        SchemaCase("{contains: {const: 1}, minContains: 0}", valid: ["[]", "[2]", "[1]"]),
        SchemaCase(
            "{contains: {const: 1}, minContains: 0, maxContains: 1}", valid: ["[]", "[1]"], invalid: ["[1, 1]"]),
        SchemaCase("{contains: {const: 1}, minContains: 3, maxContains: 1}", invalid: ["[]", "[1]", "[1, 1, 1]"]),
        SchemaCase("{minContains: 1}", valid: ["[]", "[1]"]), SchemaCase("{maxContains: 1}", valid: ["[1, 1]"]),
        SchemaCase("{minItems: 1}", valid: ["[1]", "''"], invalid: ["[]"]),
        SchemaCase("{maxItems: 2.0}", valid: ["[1, 2]", "'xxx'"], invalid: ["[1, 2, 3]"]),
        SchemaCase(
            "{uniqueItems: true}",
            valid: [
                "[]", "[1, 2]", "[1, true]", "[0, false]", "[[1], [true]]", "[{a: 1}, {a: 2}]", "['a', 'A']",
                "[{a: 1, b: 2}, {a: 2, b: 1}]",
            ],
            invalid: [
                "[1, 1]", "[1.0, 1]", "['a', 'b', 'a']", "[[1], [1]]", "[{a: 1, b: 2}, {b: 2, a: 1}]", "[null, null]",
                "[[[1], 'x'], [[1.0], 'x']]",
            ]),
        SchemaCase("{uniqueItems: false}", valid: ["[1, 1]"]),
        SchemaCase(
            "{uniqueItems: true, prefixItems: [{type: 'boolean'}], items: false}", valid: ["[true]"],
            invalid: ["[true, true]"]),
    ])
    func lists(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test(arguments: [
        SchemaCase(
            "{properties: {a: {type: 'integer'}, b: {type: 'string'}}}",
            valid: ["{}", "{a: 1, b: 'x'}", "{c: []}", "[]", "12"], invalid: ["{a: 'x'}", "{a: 1, b: {}}"]),
        SchemaCase("{properties: {a: true, b: false}}", valid: ["{}", "{a: 1}"], invalid: ["{b: 1}", "{a: 1, b: 2}"]),
        SchemaCase(
            "{properties: {'a\\nb': {type: 'number'}, 'a\\\"b': {type: 'number'}, 'é': {type: 'number'}}}",
            valid: ["{'a\\nb': 1, 'a\\\"b': 1}", "{'e\\u0301': 'x'}"], invalid: ["{'a\\nb': '1'}", "{'é': 'x'}"]),
        SchemaCase(
            "{properties: {__proto__: {type: 'number'}, toString: {properties: {length: {type: 'string'}}}, constructor: {type: 'number'}}}",
            valid: ["[]", "{}", "{__proto__: 12, toString: {length: 'a'}}"],
            invalid: ["{__proto__: 'x'}", "{toString: {length: 37}}", "{constructor: {length: 37}}"]),
        SchemaCase("{properties: {a: {type: 'null'}}}", valid: ["{a: null}"], invalid: ["{a: 0}"]),
        SchemaCase("{required: ['a', 'b']}", valid: ["{a: 1, b: null}", "[]", "'x'"], invalid: ["{}", "{a: 1}"]),
        SchemaCase("{required: []}", valid: ["{}"]),
        SchemaCase(
            "{required: ['__proto__', 'toString']}", valid: ["{__proto__: 1, toString: 2}"],
            invalid: ["{}", "{toString: 1}"]),
        SchemaCase(
            "{properties: {a: {}}, additionalProperties: false}", valid: ["{a: 1}", "[1]", "{}"],
            invalid: ["{b: 1}", "{a: 1, b: 1}"]),
        SchemaCase(
            "{properties: {a: {}}, patternProperties: {'^v': {}}, additionalProperties: false}",
            valid: ["{a: 1, vroom: 2}"], invalid: ["{a: 1, quux: 1}"]),
        SchemaCase(
            "{properties: {a: {}}, additionalProperties: {type: 'boolean'}}", valid: ["{a: 1, b: true}"],
            invalid: ["{b: 12}"]),
        SchemaCase("{additionalProperties: {type: 'boolean'}}", valid: ["{a: true}"], invalid: ["{a: 1}"]),
        SchemaCase(
            "{allOf: [{properties: {a: {}}}], additionalProperties: {type: 'boolean'}}", valid: ["{a: true}"],
            invalid: ["{a: 1}"]),
        SchemaCase(
            "{patternProperties: {'f.*o': {type: 'integer'}}}",
            valid: ["{fo: 1, foooo: 2}", "{x: 'a'}", "['foo']", "12"],
            invalid: ["{fooo: 'a'}", "{fo: 1, foooooo: 'b'}"]),
        SchemaCase(
            "{patternProperties: {'a*': {type: 'integer'}, 'aaa*': {maximum: 20}}}",
            valid: ["{a: 21}", "{aaaa: 18}", "{a: 21, aaaa: 18}"],
            invalid: ["{a: 'x'}", "{aaaa: 31}", "{aaa: 'x', aaaa: 31}"]),
        SchemaCase(
            "{patternProperties: {'[0-9]{2,}': {type: 'boolean'}, 'X_': {type: 'string'}}}",
            valid: ["{'9': 'x', a_x_3: 3}"], invalid: ["{a31b: null}", "{a_X_3: 3}"]),
        SchemaCase(
            "{patternProperties: {'f.*': true, 'b.*': false}}", valid: ["{foo: 1}", "{}"],
            invalid: ["{bar: 2}", "{foobar: 1}"]),
        SchemaCase(
            "{properties: {foo: {maxItems: 3}, bar: {}}, patternProperties: {'f.o': {minItems: 2}}, additionalProperties: {type: 'integer'}}",
            valid: ["{foo: [1, 2]}", "{fxo: [1, 2]}", "{bar: []}", "{quux: 3}"],
            invalid: ["{foo: [1, 2, 3, 4]}", "{foo: []}", "{fxo: []}", "{quux: 'x'}"]),
        SchemaCase(
            "{propertyNames: {maxLength: 3}}", valid: ["{f: {}, foo: {}}", "{}", "[1]", "'foobar'"],
            invalid: ["{foobar: {}}"]),
        SchemaCase("{propertyNames: {pattern: '^a+$'}}", valid: ["{a: 1, aa: 2}"], invalid: ["{aaA: 1}"]),
        SchemaCase("{propertyNames: false}", valid: ["{}"], invalid: ["{a: 1}"]),
        SchemaCase("{propertyNames: {enum: ['a', 'b']}}", valid: ["{a: 1, b: 1}"], invalid: ["{c: 1}"]),
        SchemaCase("{minProperties: 1}", valid: ["{a: 1}", "[]", "''", "12"], invalid: ["{}"]),
        SchemaCase("{maxProperties: 2}", valid: ["{a: 1, b: 2}", "[1, 2, 3]"], invalid: ["{a: 1, b: 2, c: 3}"]),
        SchemaCase("{maxProperties: 0}", valid: ["{}"], invalid: ["{a: 1}"]),
        SchemaCase(
            "{dependentRequired: {b: ['a']}}", valid: ["{}", "{a: 1}", "{a: 1, b: 2}", "['b']", "'b'"],
            invalid: ["{b: 2}"]),
        SchemaCase("{dependentRequired: {b: []}}", valid: ["{b: 2}"]),
        SchemaCase(
            "{dependentRequired: {c: ['a', 'b']}}", valid: ["{a: 1, b: 2, c: 3}"], invalid: ["{a: 1, c: 2}", "{c: 1}"]),
        SchemaCase(
            "{dependentSchemas: {b: {properties: {a: {type: 'integer'}, b: {type: 'integer'}}}}}",
            valid: ["{a: 1, b: 2}", "{a: 'x'}", "['b']"], invalid: ["{a: 'x', b: 2}", "{a: 2, b: 'x'}"]),
        SchemaCase(
            "{dependentSchemas: {a: true, b: false}}", valid: ["{a: 1}", "{}"], invalid: ["{b: 1}", "{a: 1, b: 2}"]),
        SchemaCase(
            "{properties: {foo: {}}, dependentSchemas: {foo: {properties: {bar: {}}, additionalProperties: false}}}",
            valid: ["{bar: 1}"], invalid: ["{foo: 1}", "{foo: 1, bar: 2}"]),
    ])
    func objects(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test(arguments: [
        SchemaCase(
            "{allOf: [{required: ['a']}, {properties: {b: {type: 'integer'}}}]}", valid: ["{a: 1, b: 2}"],
            invalid: ["{b: 2}", "{a: 1, b: 'x'}"]),
        SchemaCase("{maximum: 30, allOf: [{minimum: 20}]}", valid: ["25"], invalid: ["35", "10"]),
        SchemaCase("{allOf: [true, false]}", invalid: ["1"]), SchemaCase("{allOf: [{}, true]}", valid: ["1"]),
        SchemaCase(
            "{allOf: [{multipleOf: 2}], anyOf: [{multipleOf: 3}], oneOf: [{multipleOf: 5}]}", valid: ["30"],
            invalid: ["1", "5", "3", "15", "2", "10", "6"]),
        SchemaCase("{anyOf: [{type: 'integer'}, {minimum: 2}]}", valid: ["1", "2.5", "3", "'x'"], invalid: ["1.5"]),
        SchemaCase(
            "{type: 'string', anyOf: [{maxLength: 2}, {minLength: 4}]}", valid: ["'ab'", "'abcd'"],
            invalid: ["3", "'abc'"]),
        SchemaCase("{anyOf: [true, false]}", valid: ["1"]), SchemaCase("{anyOf: [false, false]}", invalid: ["1"]),
        SchemaCase("{oneOf: [{type: 'integer'}, {minimum: 2}]}", valid: ["1", "2.5"], invalid: ["3", "1.5"]),
        SchemaCase("{oneOf: [true, true, true]}", invalid: ["1"]),
        SchemaCase("{oneOf: [true, false, false]}", valid: ["1"]),
        SchemaCase(
            "{oneOf: [{required: ['a', 'b']}, {required: ['a', 'c']}]}", valid: ["{a: 1, b: 2}", "{a: 1, c: 3}"],
            invalid: ["{b: 2}", "{a: 1, b: 2, c: 3}"]),
        SchemaCase(
            "{oneOf: [{properties: {a: true, b: true}, required: ['a']}, {properties: {c: true}, required: ['c']}]}",
            valid: ["{a: 1}", "{c: 1}"], invalid: ["{a: 1, c: 2}", "{b: 1}"]),
        SchemaCase("{not: {type: 'integer'}}", valid: ["'x'", "1.5"], invalid: ["1"]),
        SchemaCase("{not: {type: ['integer', 'boolean']}}", valid: ["'x'"], invalid: ["1", "true"]),
        SchemaCase("{properties: {a: {not: {}}}}", valid: ["{b: 1}"], invalid: ["{a: 1}"]),
        SchemaCase("{not: true}", invalid: ["1"]), SchemaCase("{not: false}", valid: ["1"]),
        SchemaCase("{not: {not: {type: 'integer'}}}", valid: ["1"], invalid: ["'x'"]),
        SchemaCase("{if: {const: 0}}", valid: ["0", "'x'"]), SchemaCase("{then: {const: 0}}", valid: ["0", "1"]),
        SchemaCase("{else: {const: 0}}", valid: ["0", "1"]),
        SchemaCase("{if: {exclusiveMaximum: 0}, then: {minimum: -10}}", valid: ["-1", "3"], invalid: ["-100"]),
        SchemaCase("{if: {exclusiveMaximum: 0}, else: {multipleOf: 2}}", valid: ["-1", "4"], invalid: ["3"]),
        SchemaCase(
            "{if: {exclusiveMaximum: 0}, then: {minimum: -10}, else: {multipleOf: 2}}", valid: ["-1", "4"],
            invalid: ["-100", "3"]),
        SchemaCase("{if: true, then: {const: 't'}, else: {const: 'e'}}", valid: ["'t'"], invalid: ["'e'"]),
        SchemaCase("{if: false, then: {const: 't'}, else: {const: 'e'}}", valid: ["'e'"], invalid: ["'t'"]),
        SchemaCase("{if: true, then: false}", invalid: ["1"]),
        SchemaCase(
            "{allOf: [{if: {exclusiveMaximum: 0}}, {then: {minimum: -10}}, {else: {multipleOf: 2}}]}",
            valid: ["-100", "3"]),
    ])
    func combinations(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test(arguments: [
        SchemaCase(
            "{title: 'T', description: 'D', default: 'breaks the rules', examples: [null], deprecated: true, readOnly: true, writeOnly: true, $comment: 'C', 'x-own': [1], type: 'integer'}",
            valid: ["1"], invalid: ["'x'"]),
        SchemaCase("{properties: {a: {type: 'integer', default: []}}}", valid: ["{}", "{a: 1}"], invalid: ["{a: []}"]),
    ])
    func annotationsRefuseNothing(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test func annotationsAreKept() throws {
        let schema = try compiled(
            "{title: 'T', description: 'D', default: 1, examples: [2], deprecated: true, readOnly: true, 'x-a': 3}")
        let kept = try #require(schema.nodes[0].annotations)
        #expect(kept.title == "T" && kept.description == "D" && kept.defaultValue == 1 && kept.examples == [2])
        #expect(kept.isDeprecated && kept.isReadOnly && !kept.isWriteOnly && kept.extensions == ["x-a": 3])
    }
}
