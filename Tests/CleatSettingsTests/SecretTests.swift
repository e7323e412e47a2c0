import CleatJSON
import CleatSettings
import Testing

@Suite("Secrets")
struct SecretTests {
    /// The text of the secrets.
    static let secret = "hunter2"

    static func schema(_ text: String) throws -> Schema {
        try Schema(json: JSONReader.read(text, dialect: .json5))
    }

    /// Schemas and paths in them that hold a secret, or may.
    static let secrets: [(schema: String, path: String)] = [
        ("{type: 'object', properties: {s: {type: 'string', writeOnly: true}}}", "s"),
        ("{type: 'object', properties: {s: {writeOnly: true}}}", "s"),
        ("{type: 'object', properties: {s: {writeOnly: true}}}", "s/below/it"),
        ("{type: 'object', properties: {s: {$ref: '#/$defs/s'}}, $defs: {s: {type: 'string', writeOnly: true}}}", "s"),
        ("{type: 'object', properties: {s: {type: 'string', allOf: [{writeOnly: true}]}}}", "s"),
        ("{type: 'object', properties: {s: {type: 'string', anyOf: [{writeOnly: true}, {minLength: 9}]}}}", "s"),
        ("{type: 'object', properties: {g: {type: 'object', writeOnly: true, properties: {s: {}}}}}", "g/s"),
        ("{type: 'object', properties: {g: {type: 'object', writeOnly: true, additionalProperties: true}}}", "g/s"),
        ("{type: 'object', properties: {g: {type: 'object', writeOnly: true, additionalProperties: true}}}", "g/a/s"),
        (
            "{type: 'object', properties: {g: {type: 'object', writeOnly: true, additionalProperties: {type: 'object', properties: {s: {type: 'string'}}}}}}",
            "g/a/s"
        ),
        (
            "{type: 'object', properties: {m: {type: 'object', patternProperties: {'^p': {writeOnly: true}}}}}",
            "m/password"
        ),
        (
            "{type: 'object', properties: {l: {type: 'array', items: {type: 'string', writeOnly: true}}}}", "l"
        ),
        (
            "{type: 'object', properties: {l: {type: 'array', items: {type: 'object', properties: {user: {}, key: {writeOnly: true}}}}}}",
            "l"
        ),
        (
            "{type: 'object', properties: {l: {type: 'array', items: {$ref: '#/$defs/n'}}}, $defs: {n: {type: 'object', properties: {key: {writeOnly: true}, more: {type: 'array', items: {$ref: '#/$defs/n'}}}}}}",
            "l"
        ),
        ("{type: 'object', properties: {l: {type: 'array', contains: {writeOnly: true}}}}", "l"),
        ("{type: 'object', properties: {n: {type: 'string'}}}", "unknown"),
        // Former names, of secrets and of undefined settings.
        ("{type: 'object', properties: {s: {type: 'string', writeOnly: true, 'x-cleat-renamed-from': 'o/s'}}}", "o/s"),
        (
            "{type: 'object', properties: {g: {type: 'object', 'x-cleat-renamed-from': 'o', properties: {s: {type: 'string', writeOnly: true}, n: {type: 'string'}}}}}",
            "o/s"
        ),
        (
            "{type: 'object', properties: {g: {type: 'object', 'x-cleat-renamed-from': 'o', properties: {n: {type: 'string'}}}}}",
            "o/s"
        ),
        (
            "{type: 'object', properties: {g: {type: 'object', 'x-cleat-renamed-from': 'o', additionalProperties: true}}}",
            "o/s"
        ),
        (
            "{type: 'object', properties: {g: {type: 'object', properties: {s: {'x-cleat-renamed-from': 'o/s'}}}}}",
            "o/s"
        ),
        ("{type: 'object', properties: {n: {type: 'string'}}}", "n/below"),
    ]

    @Test("A secret is hidden wherever it is", arguments: secrets)
    func hidden(_ schema: String, _ path: String) throws {
        #expect(try Self.schema(schema).hides(SettingPath(path)))
    }

    @Test("Other settings are not hidden", arguments: ["n", "l", "g/n", "m/x", "o/k", "o/p/k"])
    func shown(_ path: String) throws {
        let schema = try Self.schema(
            "{type: 'object', properties: {n: {type: 'string'}, s: {writeOnly: true}, l: {type: 'array', items: {type: 'string'}}, g: {type: 'object', properties: {n: {}, s: {writeOnly: true}}}, m: {type: 'object', additionalProperties: true}, k: {type: 'string', 'x-cleat-renamed-from': ['o/k', 'o/p/k']}}}"
        )
        #expect(try !schema.hides(SettingPath(path)))
    }

    /// Schemas, and values that break them or stand where nothing is.
    static let refused: [(schema: String, path: String, value: String)] = [
        ("{type: 'object', properties: {s: {type: 'string', writeOnly: true, minLength: 9}}}", "s", "'hunter2'"),
        ("{type: 'object', properties: {s: {type: 'integer', writeOnly: true}}}", "s", "'hunter2'"),
        ("{type: 'object', properties: {s: {type: 'string', writeOnly: true, enum: ['a']}}}", "s", "'hunter2'"),
        ("{type: 'object', properties: {s: {type: 'string', writeOnly: true}}}", "s", "{hunter2: 1}"),
        ("{type: 'object', properties: {s: {type: 'string', writeOnly: true}}}", "s", "{a: 'hunter2'}"),
        ("{type: 'object', properties: {s: {type: 'string', writeOnly: true}}}", "s", "['hunter2']"),
        ("{type: 'object', properties: {s: {type: 'string', writeOnly: true}}}", "t", "'hunter2'"),
        ("{type: 'object', properties: {n: {type: 'string'}}}", "n/s", "'hunter2'"),
        (
            "{type: 'object', properties: {m: {type: 'object', propertyNames: {maxLength: 1}, additionalProperties: {writeOnly: true}}}}",
            "m/long", "'hunter2'"
        ),
        (
            "{type: 'object', properties: {l: {type: 'array', writeOnly: true, items: {type: 'object', additionalProperties: false}}}}",
            "l", "[{hunter2: 1}]"
        ),
        (
            "{type: 'object', properties: {l: {type: 'array', items: {type: 'object', properties: {a: {type: 'integer'}, s: {writeOnly: true}}}}}}",
            "l", "[{a: 'x', s: 'hunter2'}]"
        ),
        (
            "{type: 'object', properties: {l: {type: 'array', uniqueItems: true, items: {writeOnly: true}}}}", "l",
            "['hunter2', 'hunter2']"
        ),
    ]

    @Test("The refusal of a secret does not repeat it", arguments: refused)
    func refusal(_ schema: String, _ path: String, _ value: String) throws {
        let settings = LayeredSettings(schema: try Self.schema(schema))
        let value = try JSONReader.read(value, dialect: .json5)
        let proposal = settings.propose(try ChangeSet([Change(SettingPath(path), value)]))
        try #require(!proposal.problems.isEmpty)
        for problem in proposal.problems {
            #expect(!"\(problem)".contains(Self.secret), "\(problem)")
            #expect(problem.value.map { !$0.canonicalText.contains(Self.secret) } ?? true)
        }
    }

    @Test("A group is shown without its secrets")
    func group() throws {
        let schema = try Self.schema(
            "{type: 'object', properties: {g: {type: 'object', properties: {n: {type: 'string'}, s: {type: 'string', writeOnly: true}, d: {default: 7}}}, h: {type: 'object', properties: {s: {writeOnly: true}}}}}"
        )
        var committed = SettingsTree()
        committed.apply(
            try ChangeSet([
                Change(SettingPath("g/n"), "shown"), Change(SettingPath("g/s"), .string(Self.secret)),
                Change(SettingPath("h/s"), .string(Self.secret)),
            ]))
        let settings = LayeredSettings(schema: schema, committed: committed)
        #expect(try settings.value(at: SettingPath("g")) { !$0.isSecret } == ["n": "shown", "d": 7])
        #expect(try settings.value(at: SettingPath("h")) { !$0.isSecret } == nil)
    }
}
