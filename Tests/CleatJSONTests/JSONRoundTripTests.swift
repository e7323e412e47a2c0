import CleatJSON
import CleatTestSupport
import Testing

/// Generates the same values from the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func value(depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth < 6 ? 9 : 6), using: &self) {
        case 0: .null
        case 1: .bool(Bool.random(using: &self))
        case 2: .integer(integer())
        case 3: .number(double())
        case 4, 5: .string(string())
        case 6: .array((0..<Int.random(in: 0..<6, using: &self)).map { _ in value(depth: depth + 1) })
        default: .object(object(depth: depth + 1))
        }
    }

    mutating func object(depth: Int) -> JSONObject {
        let limit = Int.random(in: 0..<20, using: &self) == 0 ? 60 : 8
        let count = Int.random(in: 0..<limit, using: &self)
        var object = JSONObject()
        for _ in 0..<count { object[string()] = value(depth: depth + 1) }
        return object
    }

    mutating func integer() -> Int64 {
        let bits = Int64(truncatingIfNeeded: next())
        return bits >> Int64.random(in: 0..<64, using: &self)
    }

    mutating func double() -> Double {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return Double(integer())
        case 1: return Double(integer()) / 1000
        case 2: return Double.random(in: -1...1, using: &self)
        default:
            let any = Double(bitPattern: next())
            return any.isFinite ? any : Double.greatestFiniteMagnitude
        }
    }

    mutating func string() -> String {
        var string = ""
        for _ in 0..<Int.random(in: 0..<12, using: &self) {
            let value: UInt32 =
                switch Int.random(in: 0..<6, using: &self) {
                case 0: UInt32.random(in: 0..<0x20, using: &self)
                case 1: UInt32.random(in: 0x80..<0x800, using: &self)
                case 2: UInt32.random(in: 0x800..<0x1_0000, using: &self)
                case 3: UInt32.random(in: 0x1_0000...0x10_ffff, using: &self)
                default: UInt32.random(in: 0x20..<0x7f, using: &self)
                }
            if let scalar = Unicode.Scalar(value) { string.unicodeScalars.append(scalar) }
        }
        return string
    }

    mutating func shuffled(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let values): .array(values.map { shuffled($0) })
        case .object(let object):
            .object(JSONObject(object.shuffled(using: &self).map { ($0.key, shuffled($0.value)) }))
        case .integer(let integer):
            // The same number as the other kind, where it is the same.
            Double(integer).magnitude < 0x1p62 && Int64(Double(integer)) == integer ? .number(Double(integer)) : value
        default: value
        }
    }
}

@Suite("JSON round trips")
struct JSONRoundTripTests {
    @Test("Random values of a seed are written and read back equal", arguments: 1...40 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let value = generator.value()
            for style in [JSONWriter.Style.compact, .pretty, .canonical] {
                let text = JSONWriter.write(value, style: style)
                for dialect in [JSONDialect.json, .json5] {
                    #expect(try JSONReader.read(text, dialect: dialect) == value, "\(text)")
                }
            }
            let compact = JSONWriter.write(value, style: .compact)
            #expect(JSONWriter.write(try JSONReader.read(compact), style: .compact) == compact)
        }
    }

    @Test("Equal values of a seed have one hash and one canonical text", arguments: 1...40 as ClosedRange<UInt64>)
    func canonical(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let value = generator.value()
            let other = generator.shuffled(value)
            #expect(value == other)
            #expect(value.hashValue == other.hashValue)
            #expect(Array(value.canonicalText.utf8) == Array(other.canonicalText.utf8))
            let again = try JSONReader.read(value.canonicalText)
            #expect(again.canonicalText == value.canonicalText)
        }
    }

    @Test(
        "Values of a seed that differ have different canonical text",
        arguments: TestMachine.seeds(20, briefly: 5))
    func difference(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<60).map { _ in generator.value() }
        for left in values {
            for right in values { #expect((left == right) == (left.canonicalText == right.canonicalText)) }
        }
    }

    @Test("Every double of a seed is read back to the bit", arguments: 1...20 as ClosedRange<UInt64>)
    func doubles(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let number = generator.double()
            for style in [JSONWriter.Style.compact, .canonical] {
                let again = try JSONReader.read(JSONWriter.write(.number(number), style: style)).doubleValue
                #expect(again == number)
            }
        }
    }

    @Test("Random values of a seed pass through the coders", arguments: 1...20 as ClosedRange<UInt64>)
    func coding(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let value = generator.value()
            #expect(try JSONValue(encoding: value) == value)
            #expect(try JSONValue(encoding: Foreign(value)) == value)
            #expect(try value.decode(Foreign.self).value == value)
        }
    }

    /// Codes through the general containers, as a type of another module would.
    struct Foreign: Codable {
        var value: JSONValue

        init(_ value: JSONValue) {
            self.value = value
        }

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Key.self) {
                var object = JSONObject()
                for key in container.allKeys {
                    object[key.stringValue] = try container.decode(Foreign.self, forKey: key).value
                }
                value = .object(object)
            } else if var container = try? decoder.unkeyedContainer() {
                var values: [JSONValue] = []
                while !container.isAtEnd { values.append(try container.decode(Foreign.self).value) }
                value = .array(values)
            } else {
                let container = try decoder.singleValueContainer()
                if container.decodeNil() {
                    value = .null
                } else if let bool = try? container.decode(Bool.self) {
                    value = .bool(bool)
                } else if let integer = try? container.decode(Int64.self) {
                    value = .integer(integer)
                } else if let number = try? container.decode(Double.self) {
                    value = .number(number)
                } else {
                    value = .string(try container.decode(String.self))
                }
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch value {
            case .object(let object):
                var container = encoder.container(keyedBy: Key.self)
                for (key, value) in object { try container.encode(Foreign(value), forKey: Key(key)) }
            case .array(let values):
                var container = encoder.unkeyedContainer()
                for value in values { try container.encode(Foreign(value)) }
            default:
                var container = encoder.singleValueContainer()
                switch value {
                case .null: try container.encodeNil()
                case .bool(let value): try container.encode(value)
                case .integer(let value): try container.encode(value)
                case .number(let value): try container.encode(value)
                case .string(let value): try container.encode(value)
                case .array, .object: break
                }
            }
        }

        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(_ text: String) { stringValue = text }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { return nil }
        }
    }
}
