import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SchemaReferenceTests {
    @Test(arguments: [
        SchemaCase(
            "{properties: {a: {$ref: '#'}}, additionalProperties: false}", valid: ["{a: false}", "{a: {a: 1}}"],
            invalid: ["{b: 1}", "{a: {b: 1}}"]),
        SchemaCase(
            "{properties: {a: {type: 'integer'}, b: {$ref: '#/properties/a'}}}", valid: ["{b: 3}"],
            invalid: ["{b: true}"]),
        SchemaCase(
            "{prefixItems: [{type: 'integer'}, {$ref: '#/prefixItems/0'}]}", valid: ["[1, 2]"], invalid: ["[1, 'x']"]),
        SchemaCase(
            "{$defs: {'a~b': {type: 'integer'}, 'a/b': {type: 'integer'}, 'a%b': {type: 'integer'}, 'a\\\"b': {type: 'integer'}, 'é': {type: 'integer'}, '': {$defs: {'': {type: 'string'}}}}, properties: {tilde: {$ref: '#/$defs/a~0b'}, slash: {$ref: '#/$defs/a~1b'}, percent: {$ref: '#/$defs/a%25b'}, quote: {$ref: '#/$defs/a%22b'}, other: {$ref: '#/$defs/%C3%A9'}, empty: {$ref: '#/$defs//$defs/'}}}",
            valid: ["{tilde: 1, slash: 1, percent: 1, quote: 1, other: 1, empty: ''}"],
            invalid: ["{tilde: 'x'}", "{slash: 'x'}", "{percent: 'x'}", "{quote: 'x'}", "{other: 'x'}", "{empty: 1}"]),
        SchemaCase(
            "{$defs: {a: {type: 'integer'}, b: {$ref: '#/$defs/a'}, c: {$ref: '#/$defs/b'}}, $ref: '#/$defs/c'}",
            valid: ["5"], invalid: ["'x'"]),
        SchemaCase(
            "{$defs: {a: {type: 'array'}}, properties: {a: {$ref: '#/$defs/a', maxItems: 2}}}",
            valid: ["{a: []}", "{a: [1, 2]}"], invalid: ["{a: [1, 2, 3]}", "{a: 'x'}"]),
        SchemaCase("{properties: {$ref: {type: 'string'}}}", valid: ["{$ref: 'a'}"], invalid: ["{$ref: 2}"]),
        SchemaCase(
            "{properties: {$ref: {$ref: '#/$defs/s'}}, $defs: {s: {type: 'string'}}}", valid: ["{$ref: 'a'}"],
            invalid: ["{$ref: 2}"]),
        SchemaCase("{$ref: '#/$defs/b', $defs: {b: true}}", valid: ["1"]),
        SchemaCase("{$ref: '#/$defs/b', $defs: {b: false}}", invalid: ["1"]),
        SchemaCase(
            "{$id: 'http://localhost:1234/tree', type: 'object', properties: {meta: {type: 'string'}, nodes: {type: 'array', items: {$ref: 'node'}}}, required: ['meta', 'nodes'], $defs: {node: {$id: 'http://localhost:1234/node', type: 'object', properties: {value: {type: 'number'}, subtree: {$ref: 'tree'}}, required: ['value']}}}",
            valid: ["{meta: 'r', nodes: [{value: 1, subtree: {meta: 'c', nodes: [{value: 1.1}]}}]}"],
            invalid: ["{meta: 'r', nodes: [{value: 1, subtree: {meta: 'c', nodes: [{value: 'x'}]}}]}"]),
        SchemaCase(
            "{$id: 'http://example.com/a.json', $defs: {x: {$id: 'http://example.com/b/c.json', not: {$defs: {y: {$id: 'd.json', type: 'number'}}}}}, allOf: [{$ref: 'http://example.com/b/d.json'}]}",
            valid: ["1"], invalid: ["'a'"]),
        SchemaCase(
            "{$id: 'urn:uuid:deadbeef-1234-ffff-ffff-4321feebdaed', minProperties: 30, properties: {a: {$ref: 'urn:uuid:deadbeef-1234-ffff-ffff-4321feebdaed'}}}",
            valid: ["1"], invalid: ["{a: {}}"]),
        SchemaCase(
            "{$id: 'urn:uuid:deadbeef-1234-00ff-ff00-4321feebdaed', properties: {a: {$ref: '#/$defs/b'}, c: {$ref: '#d'}}, $defs: {b: {type: 'string'}, d: {$anchor: 'd', type: 'null'}}}",
            valid: ["{a: 'x', c: null}"], invalid: ["{a: 1}", "{c: 1}"]),
        SchemaCase(
            "{$ref: 'http://example.com/ref/if', if: {$id: 'http://example.com/ref/if', type: 'integer'}}",
            valid: ["1"], invalid: ["'x'"]),
        SchemaCase(
            "{$id: 'http://example.com/ref/absref.json', $defs: {a: {$id: 'http://example.com/ref/absref/foobar.json', type: 'number'}, b: {$id: 'http://example.com/absref/foobar.json', type: 'string'}}, $ref: '/absref/foobar.json'}",
            valid: ["'x'"], invalid: ["1"]),
        SchemaCase(
            "{$id: 'https://example.com/dir/root', $defs: {d: {$id: './../other/x', type: 'null'}}, $ref: '../other/./x'}",
            valid: ["null"], invalid: ["1"]),
        SchemaCase(
            "{$defs: {id_in_enum: {enum: [{$id: 'https://localhost/a', type: 'null'}]}, real: {$id: 'https://localhost/a', type: 'string'}}, anyOf: [{$ref: '#/$defs/id_in_enum'}, {$ref: 'https://localhost/a'}]}",
            valid: ["'x'", "{$id: 'https://localhost/a', type: 'null'}"], invalid: ["null", "1"]),
        SchemaCase("{$ref: '#foo', $defs: {A: {$anchor: 'foo', type: 'integer'}}}", valid: ["1"], invalid: ["'a'"]),
        SchemaCase(
            "{$ref: 'http://localhost:1234/bar#foo', $defs: {A: {$id: 'http://localhost:1234/bar', $anchor: 'foo', type: 'integer'}}}",
            valid: ["1"], invalid: ["'a'"]),
        SchemaCase(
            "{$id: 'http://localhost:1234/root', $ref: 'http://localhost:1234/nested.json#foo', $defs: {A: {$id: 'nested.json', $defs: {B: {$anchor: 'foo', type: 'integer'}}}}}",
            valid: ["1"], invalid: ["'a'"]),
        SchemaCase(
            "{$id: 'http://localhost:1234/foobar', $defs: {A: {$id: 'child1', allOf: [{$id: 'child2', $anchor: 'my_anchor', type: 'number'}, {$anchor: 'my_anchor', type: 'string'}]}}, $ref: 'child1#my_anchor'}",
            valid: ["'a'"], invalid: ["1"]),
        SchemaCase(
            "{$id: 'https://example.com/a', $ref: 'b#/$defs/y', $defs: {b: {$id: 'b', $defs: {x: {type: 'string'}, y: {type: 'integer'}}}}}",
            valid: ["1"], invalid: ["'a'"]),
    ])
    func leadWhereTheySay(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test(arguments: [
        SchemaCase(
            "{$ref: 'https://json-schema.org/draft/2020-12/schema'}",
            valid: ["{minLength: 1}", "true", "{$defs: {a: {type: 'integer'}}}", "{not: {items: false}}"],
            invalid: [
                "{minLength: -1}", "1", "{$defs: {a: {type: 1}}}", "{items: {allOf: []}}", "{required: ['a', 'a']}",
            ]),
        SchemaCase(
            "{properties: {s: {$ref: 'https://json-schema.org/draft/2020-12/schema#'}}}", valid: ["{s: {}}"],
            invalid: ["{s: {type: 'text'}}"]),
    ])
    func theDialectDescribesItself(_ one: SchemaCase) throws {
        try one.check()
    }

    /// A schema that is asked about one value in two ways is no circle.
    @Test(arguments: [
        SchemaCase(
            "{$defs: {i: {type: 'integer'}}, allOf: [{properties: {a: {$ref: '#/$defs/i'}}}, {additionalProperties: {$ref: '#/$defs/i'}}]}",
            valid: ["{a: 1}"], invalid: ["{a: 'x'}"]),
        SchemaCase(
            "{$defs: {t: {anyOf: [{type: 'null'}, {type: 'array', items: {$ref: '#/$defs/t'}}, {type: 'object', properties: {l: {$ref: '#/$defs/t'}}, required: ['l']}]}}, $ref: '#/$defs/t'}",
            valid: ["[null, [[], {l: [null]}]]"], invalid: ["[1]", "{l: [{l: 1}]}"]),
    ])
    func recursionDownIsNoCircle(_ one: SchemaCase) throws {
        try one.check()
    }

    @Test(arguments: [
        "{$ref: '#'}", "{allOf: [{$ref: '#'}]}", "{anyOf: [true, {$ref: '#'}]}", "{not: {$ref: '#'}}",
        "{$defs: {a: {$ref: '#/$defs/b'}, b: {$ref: '#/$defs/a'}}, properties: {x: {$ref: '#/$defs/a'}}}",
        "{if: {type: 'string'}, then: {$ref: '#'}}", "{dependentSchemas: {a: {oneOf: [{$ref: '#'}]}}}",
        "{$defs: {a: {$anchor: 'a', allOf: [{$ref: '#b'}]}, b: {$anchor: 'b', else: {$ref: '#a'}, if: true}}, items: {$ref: '#a'}}",
    ])
    func circlesAreRefused(_ text: String) {
        let error = #expect(throws: SchemaErrors.self) { try compiled(text) }
        #expect(error?.problems.map(\.code) == [.invalidReference])
        #expect(error?.problems.first?.keyword == "$ref")
    }

    @Test(arguments: [
        ("{$ref: '#/$defs/x'}", "$ref"), ("{$ref: '#nothing'}", "$ref"), ("{$ref: 'other.json'}", "$ref"),
        ("{$ref: 'https://example.com/schema'}", "$ref"), ("{$ref: '#/properties'}", "$ref"),
        ("{$ref: '#/$defs/%zz'}", "$ref"),
        ("{$ref: '#/enum/0', enum: [{type: 'string'}]}", "$ref"), ("{$ref: 1}", "$ref"),
        ("{$defs: {a: {$anchor: 'x'}, b: {$anchor: 'x'}}}", "$anchor"), ("{$anchor: '1a'}", "$anchor"),
        ("{$anchor: 'a b'}", "$anchor"),
        ("{$id: 'a#b'}", "$id"), ("{allOf: [{$id: 'a'}, {$id: 'a'}]}", "$id"),
    ])
    func otherReferencesAreRefused(_ text: String, _ keyword: String) {
        let error = #expect(throws: SchemaErrors.self) { try compiled(text) }
        #expect(error?.problems.count == 1)
        #expect(error?.problems.first?.keyword == keyword)
        #expect(error?.problems.first?.pointer.last == keyword)
    }

    @Test(arguments: [
        ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"), ("http://a/b/c/d;p?q", "./g", "http://a/b/c/g"),
        ("http://a/b/c/d;p?q", "g/", "http://a/b/c/g/"),
        ("http://a/b/c/d;p?q", "/g", "http://a/g"), ("http://a/b/c/d;p?q", "//g", "http://g"),
        ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"),
        ("http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"), ("http://a/b/c/d;p?q", ".", "http://a/b/c/"),
        ("http://a/b/c/d;p?q", "..", "http://a/b/"),
        ("http://a/b/c/d;p?q", "../g", "http://a/b/g"), ("http://a/b/c/d;p?q", "../..", "http://a/"),
        ("http://a/b/c/d;p?q", "../../../g", "http://a/g"),
        ("http://a/b/c/d;p?q", "/./g", "http://a/g"), ("http://a/b/c/d;p?q", "g:h", "g:h"),
        ("http://a/b/c/d;p?q", "g?y/./x", "http://a/b/c/g?y/./x"),
        ("http://a", "g", "http://a/g"), ("", "g", "g"),
    ])
    func urisAreResolved(_ base: String, _ reference: String, _ expected: String) {
        #expect(URIReference(reference).resolved(against: URIReference(base)).base == expected)
    }
}
