import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatSettings

/// Tests of properties of all schemas and values.
@Suite struct SchemaPropertyTests {
    @Test(arguments: 1...12)
    func combinationsFollowTheirTruthTables(seed: UInt64) throws {
        var random = RandomSchemas(seed: seed)
        for _ in 0..<8 {
            let first = random.schema(depth: 2)
            let second = random.schema(depth: 2)
            func takes(_ schema: JSONValue, _ value: JSONValue) throws -> Bool {
                let compiled = try JSONSchema(schema, for: .documents(assertFormat: false))
                let accepts = compiled.accepts(value)
                let report = compiled.validate(value)
                #expect(report.isValid == accepts && report.isComplete, "seed \(seed): \(schema) on \(value)")
                return accepts
            }
            for _ in 0..<4 {
                let value = random.value(depth: 3)
                let a = try takes(first, value)
                let b = try takes(second, value)
                let text = "seed \(seed): \(first), \(second) on \(value)"
                #expect(try takes(["not": first], value) == !a, "\(text)")
                #expect(try takes(["allOf": [first, second]], value) == (a && b), "\(text)")
                #expect(try takes(["anyOf": [first, second]], value) == (a || b), "\(text)")
                #expect(try takes(["oneOf": [first, second]], value) == (a != b), "\(text)")
                #expect(try takes(["if": first, "then": second], value) == (!a || b), "\(text)")
                #expect(try takes(["if": first, "else": second], value) == (a || b), "\(text)")
                #expect(try takes(["$ref": "#/$defs/x", "$defs": ["x": first]], value) == a, "\(text)")
                #expect(try takes(["items": first], [value, value]) == a, "\(text)")
                #expect(try takes(["contains": first], [value]) == a, "\(text)")
                #expect(try takes(["additionalProperties": first], ["k": value]) == a, "\(text)")
                #expect(try takes(["unevaluatedProperties": first], ["k": value]) == a, "\(text)")
                #expect(try takes(["unevaluatedItems": first], [value]) == a, "\(text)")
                #expect(
                    try takes(["allOf": [first], "unevaluatedItems": true, "unevaluatedProperties": true], value) == a,
                    "\(text)")
            }
        }
    }

    /// A schema of settings means the same after it was exported and read again.
    @Test(arguments: 1...20)
    func anExportedTreeMeansTheSame(seed: UInt64) throws {
        var random = RandomSchemas(seed: seed)
        for _ in 0..<8 {
            var members = JSONObject()
            for name in ["a", "b", "c"] { members[name] = random.schema(depth: 2) }
            let source: JSONValue = [
                "type": "object", "properties": ["g": ["type": "object", "properties": .object(members)]],
                "$defs": ["d": random.schema(depth: 1)],
            ]
            // Many are not trees of settings; those that are must round-trip.
            guard let schema = try? Schema(json: source) else { continue }
            let again = try Schema(json: schema.json)
            #expect(again.json == schema.json, "seed \(seed): \(source)")
            for name in ["a", "b", "c"] {
                let path = try SettingPath("g/\(name)")
                for _ in 0..<6 {
                    let value = random.value(depth: 2)
                    #expect(
                        schema.problems(with: value, at: path).map(\.code)
                            == again.problems(with: value, at: path).map(\.code),
                        "seed \(seed): \(source) on \(value)")
                }
            }
        }
    }

    /// Generated multiples match “multipleOf”, and their neighbours do not.
    @Test(arguments: 1...20)
    func multiplesAreExact(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let digits = Int64.random(in: 1...99_999, using: &generator)
            let scale = Int.random(in: 0...6, using: &generator)
            let factor = Int64.random(in: -9999...9999, using: &generator)
            func decimal(_ number: Int64) throws -> JSONValue { try JSONReader.read("\(number)e-\(scale)") }
            let divisor = try decimal(digits)
            #expect(
                Ordering.isMultiple(try decimal(digits * factor), of: divisor),
                "seed \(seed): \(digits * factor)e-\(scale) of \(digits)")
            if digits > 1 {
                #expect(
                    !Ordering.isMultiple(try decimal(digits * factor + 1), of: divisor),
                    "seed \(seed): \(digits * factor + 1)e-\(scale) of \(digits)")
            }
        }
    }
}

/// Makes schemas and values that often meet.
struct RandomSchemas {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &generator)
    }

    private mutating func name() -> String {
        ["a", "b", "c"].randomElement(using: &generator) ?? "a"
    }

    mutating func value(depth: Int) -> JSONValue {
        switch number(0...(depth > 0 ? 8 : 5)) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2, 3: return .integer(number(-3...6))
        case 4: return .number(Double(number(-4...8)) / 2)
        case 5: return .string(String(repeating: name(), count: Int(number(0...3))))
        case 6: return .array((0..<number(0...3)).map { _ in value(depth: depth - 1) })
        default:
            return .object(JSONObject((0..<number(0...3)).map { _ in (name(), value(depth: depth - 1)) }))
        }
    }

    mutating func schema(depth: Int) -> JSONValue {
        if number(0...9) == 0 { return .bool(Bool.random(using: &generator)) }
        var members = JSONObject()
        for _ in 0...number(0...2) { add(to: &members, depth: depth) }
        return .object(members)
    }

    private mutating func add(to members: inout JSONObject, depth: Int) {
        func below(_ random: inout RandomSchemas) -> JSONValue { random.schema(depth: depth - 1) }
        switch number(0...(depth > 0 ? 25 : 12)) {
        case 0:
            members["type"] = .string(
                ["null", "boolean", "integer", "number", "string", "array", "object"].randomElement(using: &generator)
                    ?? "null")
        case 1: members["type"] = ["integer", "string"]
        case 2: members["enum"] = .array((0..<3).map { _ in value(depth: 1) })
        case 3: members["const"] = value(depth: 1)
        case 4: members["minimum"] = .integer(number(-2...4))
        case 5: members["exclusiveMaximum"] = .number(Double(number(-2...8)) / 2)
        case 6: members["multipleOf"] = number(0...1) == 0 ? 2 : 0.5
        case 7: members["minLength"] = .integer(number(0...2))
        case 8:
            members["pattern"] = .string(["^a", "b+", "[ab]$", "^$", "\\p{L}"].randomElement(using: &generator) ?? "")
        case 9: members["maxItems"] = .integer(number(0...2))
        case 10: members["uniqueItems"] = true
        case 11: members["required"] = .array([.string(name())])
        case 12: members["maxProperties"] = .integer(number(0...2))
        case 13: members["items"] = below(&self)
        case 14: members["prefixItems"] = [below(&self), below(&self)]
        case 15: members["contains"] = below(&self)
        case 16: members["properties"] = .object(JSONObject([(name(), below(&self)), (name(), below(&self))]))
        case 17: members["patternProperties"] = .object(["^[ab]": below(&self)])
        case 18: members["additionalProperties"] = below(&self)
        case 19: members["propertyNames"] = below(&self)
        case 20: members["dependentRequired"] = .object([name(): .array([.string(name())])])
        case 21: members["dependentSchemas"] = .object([name(): below(&self)])
        case 22: members["not"] = below(&self)
        case 23: members["anyOf"] = [below(&self), below(&self)]
        case 24: members["unevaluatedProperties"] = below(&self)
        default: members["unevaluatedItems"] = below(&self)
        }
    }
}
