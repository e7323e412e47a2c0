import CleatJSON
import Testing

@Suite("Codable bridge")
struct JSONCodingTests {
    struct Everything: Codable, Hashable {
        enum Mode: String, Codable { case fast, slow }
        enum Shape: Codable, Hashable {
            case point
            case circle(radius: Double)
            case line(Int, to: Int)
        }
        struct Inner: Codable, Hashable {
            var name: String
            var next: [Inner]
        }

        var zebra = "first"
        var alpha = true
        var small: Int8 = -128
        var large: UInt64 = 9_223_372_036_854_775_807
        var least = Int64.min
        var ratio: Float = 0.1
        var pi = 3.141592653589793
        var missing: String?
        var present: Int? = 7
        var mode = Mode.slow
        var shapes: [Shape] = [.point, .circle(radius: 1.5), .line(1, to: 2)]
        var inner = Inner(name: "a", next: [Inner(name: "b", next: [])])
        var table: [String: Int] = ["z": 1, "a": 2, "m": 3]
        var byNumber: [Int: String] = [2: "two", 10: "ten"]
        var holes: [Int?] = [1, nil, 3]
        var tags: Set<String> = ["only"]
        var any: JSONValue = ["k": [1, .null, "x"]]
        var object: JSONObject = ["b": 1, "a": 2]
        var bytes: [UInt8] = [0, 255]
    }

    @Test("Every kind of property is coded in both directions, in the order of declaration")
    func everything() throws {
        let value = try JSONValue(encoding: Everything())
        #expect(
            value.description == """
                {"zebra":"first","alpha":true,"small":-128,"large":9223372036854775807,"least":-9223372036854775808,\
                "ratio":0.1,"pi":3.141592653589793,"present":7,"mode":"slow",\
                "shapes":[{"point":{}},{"circle":{"radius":1.5}},{"line":{"_0":1,"to":2}}],\
                "inner":{"name":"a","next":[{"name":"b","next":[]}]},"table":{"a":2,"m":3,"z":1},\
                "byNumber":{"10":"ten","2":"two"},"holes":[1,null,3],"tags":["only"],"any":{"k":[1,null,"x"]},\
                "object":{"b":1,"a":2},"bytes":[0,255]}
                """)
        let text = JSONWriter.write(value)
        #expect(try JSONReader.read(text).decode(Everything.self) == Everything())
    }

    class Animal: Codable {
        var legs = 4
    }

    final class Dog: Animal {
        var name = "Rex"

        private enum CodingKeys: String, CodingKey { case name }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            try super.init(from: try container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(name, forKey: .name)
        }
    }

    @Test("A superclass is kept under a key of its own")
    func superclass() throws {
        let dog = Dog()
        dog.legs = 3
        let value = try JSONValue(encoding: dog)
        #expect(value.description == "{\"super\":{\"legs\":3},\"name\":\"Rex\"}")
        let again = try value.decode(Dog.self)
        #expect(again.legs == 3 && again.name == "Rex")
    }

    struct ByHand: Codable, Equatable {
        var pairs: [[Int]] = [[1, 2], [3]]
        var named = ["x": 1]

        enum Keys: String, CodingKey { case pairs, named, empty }
        enum More: String, CodingKey { case x }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            var outer = try container.nestedUnkeyedContainer(forKey: .pairs)
            pairs = []
            while !outer.isAtEnd {
                var inner = try outer.nestedUnkeyedContainer()
                var row: [Int] = []
                while !inner.isAtEnd { row.append(try inner.decode(Int.self)) }
                pairs.append(row)
            }
            let more = try container.nestedContainer(keyedBy: More.self, forKey: .named)
            named = ["x": try more.decode(Int.self, forKey: .x)]
            #expect(try container.decodeNil(forKey: .empty))
            #expect(container.allKeys == [.pairs, .named, .empty])
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var outer = container.nestedUnkeyedContainer(forKey: .pairs)
            var more = container.nestedContainer(keyedBy: More.self, forKey: .named)
            try container.encodeNil(forKey: .empty)
            for row in pairs {
                var inner = outer.nestedUnkeyedContainer()
                for number in row { try inner.encode(number) }
            }
            for (_, value) in named { try more.encode(value, forKey: .x) }
        }
    }

    @Test("Nested containers keep the order in which they were started")
    func nestedContainers() throws {
        let value = try JSONValue(encoding: ByHand())
        #expect(value.description == "{\"pairs\":[[1,2],[3]],\"named\":{\"x\":1},\"empty\":null}")
        #expect(try value.decode(ByHand.self) == ByHand())
    }

    @Test("A value that is not an object is encoded and decoded")
    func topLevel() throws {
        #expect(try JSONValue(encoding: 5) == 5)
        #expect(try JSONValue(encoding: "x") == "x")
        #expect(try JSONValue(encoding: Int?.none) == .null)
        #expect(try JSONValue(encoding: [1, 2]) == [1, 2])
        #expect(try JSONValue(encoding: ["b": 1, "a": 2]).description == "{\"a\":2,\"b\":1}")
        #expect(try JSONValue(encoding: JSONValue.null) == .null)
        #expect(try JSONValue.null.decode(Int?.self) == nil)
        #expect(try JSONValue.null.decode(JSONValue?.self) == nil)
        #expect(try JSONValue.null.decode(JSONValue.self) == .null)
        #expect(try JSONValue.array([1, .null]).decode([JSONValue?].self) == [1, nil])
        #expect(try JSONValue.number(1).decode(Int.self) == 1)
        #expect(try JSONValue.integer(1).decode(Double.self) == 1)
        #expect(try JSONObject([("a", 1)]).decode([String: Int].self) == ["a": 1])
    }

    @Test("An unsigned integer is exact or refused")
    func unsigned() throws {
        #expect(try JSONValue(encoding: UInt64(Int64.max)) == .integer(.max))
        let power = try JSONValue(encoding: UInt64(1) << 63)
        #expect(try power.decode(UInt64.self) == 1 << 63)
        #expect(throws: JSONCodingError.self) { try JSONValue(encoding: UInt64.max) }
    }

    struct Wrapper: Codable {
        struct Item: Codable {
            var path: Word
            var count: UInt8
        }
        var items: [Item]
    }

    /// Throws an error of its own.
    struct Word: Codable {
        struct Empty: Error, CustomStringConvertible { var description: String { "a word must not be empty" } }
        var text: String

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            if text.isEmpty { throw Empty() }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    @Test(
        "A decoding error names position and reason",
        arguments: [
            (
                "{\"items\":[{\"path\":\"a\",\"count\":1.5}]}", "wrongType",
                "items/0/count: expected an integer, found 1.5"
            ),
            (
                "{\"items\":[{\"path\":\"a\",\"count\":300}]}", "invalidValue",
                "items/0/count: expected an integer from 0 to 255, found 300"
            ),
            (
                "{\"items\":[{\"path\":\"a\",\"count\":-1.0}]}", "invalidValue",
                "items/0/count: expected an integer from 0 to 255, found -1.0"
            ),
            (
                "{\"items\":[{\"path\":\"a\",\"count\":\"1\"}]}", "wrongType",
                "items/0/count: expected an integer, found \"1\""
            ),
            ("{\"items\":[{\"path\":\"a\",\"count\":1},{\"path\":\"b\"}]}", "missingKey", "items/1/count: is missing"),
            ("{\"items\":[{\"path\":\"\",\"count\":1}]}", "invalidValue", "items/0/path: a word must not be empty"),
            (
                "{\"items\":[{\"path\":null,\"count\":1}]}", "missingValue",
                "items/0/path: expected a string, found null"
            ),
            ("{\"items\":{}}", "wrongType", "items: expected an array, found an object"),
            ("{}", "missingKey", "items: is missing"),
            ("[]", "wrongType", "expected an object, found an array"),
        ])
    func decodingErrors(text: String, code: String, description: String) throws {
        let value = try JSONReader.read(text)
        let error = #expect(throws: JSONCodingError.self) { try value.decode(Wrapper.self) }
        #expect(error?.code.description == code)
        #expect(error?.description == description)
    }

    @Test("A value without a JSON form is refused with its position", arguments: [Double.infinity, -.infinity, .nan])
    func notFinite(number: Double) {
        let error = #expect(throws: JSONCodingError.self) { try JSONValue(encoding: ["a": [1, number]]) }
        #expect(error?.path == "a/1")
        #expect(error?.code == .invalidValue)
    }

    final class Loop: Encodable {
        var next: Loop?
    }

    @Test("A type that contains itself without end is refused")
    func endless() {
        let loop = Loop()
        loop.next = loop
        let error = #expect(throws: JSONCodingError.self) { try JSONValue(encoding: loop) }
        #expect(error?.code == .invalidValue)
        loop.next = nil
    }

    @Test("An array that ends too early is named by the missing index")
    func shortArray() {
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                _ = try container.decode(Int.self)
                _ = try container.decode(Int.self)
            }
        }
        let error = #expect(throws: JSONCodingError.self) { try JSONValue.array([1]).decode(Pair.self) }
        #expect(error?.code == .missingValue && error?.path == "1")
    }
}
