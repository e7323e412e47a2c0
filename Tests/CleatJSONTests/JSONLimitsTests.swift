import CleatJSON
import Testing

@Suite("JSON limits")
struct JSONLimitsTests {
    @Test("Nesting stops at the limit", arguments: [JSONDialect.json, .json5])
    func depth(dialect: JSONDialect) throws {
        let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        _ = try JSONReader.read(deepest, dialect: dialect)
        let error = #expect(throws: JSONError.self) { try JSONReader.read("[\n" + deepest + "]", dialect: dialect) }
        #expect(error?.code == .tooDeep)
        #expect(error?.position == JSONPosition(line: 2, column: 64))
        let objects = String(repeating: "{\"a\":", count: 100_000)
        let second = #expect(throws: JSONError.self) { try JSONReader.read(objects, dialect: dialect) }
        #expect(second?.code == .tooDeep)
    }

    @Test("A raised depth needs no stack to read")
    func raisedDepth() throws {
        let text = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
        let error = #expect(throws: JSONError.self) { try JSONReader.read(text, limits: JSONLimits(depth: 4_999)) }
        #expect(error?.code == .tooDeep)
    }

    @Test("The size of a document stops at the limit")
    func size() throws {
        let limits = JSONLimits(size: 10)
        _ = try JSONReader.read("\"12345678\"", limits: limits)
        let error = #expect(throws: JSONError.self) { try JSONReader.read("\"123456789\"", limits: limits) }
        #expect(error?.code == .tooLarge)
        let standard = "\"" + String(repeating: "x", count: 1 << 20) + "\""
        #expect(throws: JSONError.self) { try JSONReader.read(standard) }
    }

    @Test(
        "The length of a string stops at the limit, unescaped",
        arguments: [
            ("\"12345\"", true), ("\"123456\"", false), ("\"\\u0031\\u0032345\"", true),
            ("\"\\u0031\\u003234567\"", false),
            ("\"éé1\"", true), ("\"éé12\"", false), ("{\"12345\":1}", true), ("{\"123456\":1}", false),
            ("\"\\n\\n\\n\\n\\n\\n\"", false),
        ])
    func stringLength(text: String, isRead: Bool) {
        let limits = JSONLimits(stringBytes: 5)
        if isRead {
            #expect(throws: Never.self) { try JSONReader.read(text, limits: limits) }
        } else {
            let error = #expect(throws: JSONError.self) { try JSONReader.read(text, limits: limits) }
            #expect(error?.code == .stringTooLong)
        }
    }

    @Test("An unquoted key stops at the limit")
    func identifierLength() throws {
        let limits = JSONLimits(stringBytes: 5)
        _ = try JSONReader.read("{abcde:1}", dialect: .json5, limits: limits)
        let error = #expect(throws: JSONError.self) {
            try JSONReader.read("{abcdef:1}", dialect: .json5, limits: limits)
        }
        #expect(error?.code == .stringTooLong)
    }

    @Test("The length of a number stops at the limit", arguments: ["1", "0.", "0x", "1e"])
    func numberLength(start: String) throws {
        let limits = JSONLimits(numberBytes: 20)
        let fits = start + String(repeating: "1", count: 20 - start.utf8.count)
        if start == "1e" {
            let error = #expect(throws: JSONError.self) { try JSONReader.read(fits, dialect: .json5, limits: limits) }
            #expect(error?.code == .numberOutOfRange)
        } else {
            _ = try JSONReader.read(fits, dialect: .json5, limits: limits)
        }
        let error = #expect(throws: JSONError.self) { try JSONReader.read(fits + "1", dialect: .json5, limits: limits) }
        #expect(error?.code == .numberTooLong)
    }

    @Test("The number of values stops at the limit")
    func values() throws {
        let limits = JSONLimits(values: 4)
        _ = try JSONReader.read("[1,[],{}]", limits: limits)
        let error = #expect(throws: JSONError.self) { try JSONReader.read("[1,{\"a\":[2]}]", limits: limits) }
        #expect(error?.code == .tooManyValues)
        #expect(error?.position == JSONPosition(line: 1, column: 10))
    }
}
