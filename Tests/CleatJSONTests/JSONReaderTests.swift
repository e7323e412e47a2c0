import CleatJSON
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
    @Test(
        "A valid document is read and written as it was",
        arguments: [
            "null", "true", "false", "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "0.1", "1.5e+300",
            "\"\"", "\"a\"", "\"é\"", "\"日本語\"", "\"😀\"", "\"\u{7f}\"", "\"\u{2028}\u{2029}\"", "\"\\\"\\\\/\"",
            "\"\\b\\f\\n\\r\\t\"", "\"\\u0000\\u001f\"", "\"\u{10ffff}\"", "\"\u{ffff}\"", "\"\u{feff}\"",
            "[]", "{}", "[[]]", "[{}]", "{\"\":{}}", "[1,2,3]", "[null,1,\"1\",{}]", "{\"a\":1,\"b\":2}",
            "{\"b\":1,\"a\":2}",
            "{\"a\":{\"a\":{\"a\":[]}}}", "{\"é\":1,\"e\u{301}\":2}", "[0.0,-0.0]", "[1.0,100.0]",
        ])
    func identity(text: String) throws {
        #expect(Array(JSONWriter.write(try JSONReader.read(text)).utf8) == Array(text.utf8))
        #expect(try JSONReader.read(text, dialect: .json5) == JSONReader.read(text))
    }

    @Test(
        "Plain scalars are read as inside of a list, and what looks like one is refused as there",
        arguments: [
            "true", "false", "truE", "tru", "true ", " true", "falsey", "1", "12", "01", "1x", "1.5", "1e3", "-1", "0",
            "00",
            "123456789012345678", "1234567890123456789", "9223372036854775807", "9223372036854775808", "\"\"",
            "\"a b\"", "\"",
            "\"a", "\"a\"b\"", "\"a\\\"", "\"a\\nb\"", "\"\t\"", "\"é\"", "\"\u{7f}\"", "\"a\" ",
            "\"0123456789012345678901234567890123456789012345678901234567890123456789\"",
        ])
    func scalars(text: String) throws {
        let inside = try? JSONReader.read("[" + text + "]").arrayValue?.first
        #expect((try? JSONReader.read(text)) == inside, "\(text)")
        let bytes = Array(text.utf8)
        #expect((try? unsafe bytes.withUnsafeBytes { try unsafe JSONReader.read($0) }) == inside, "\(text)")
    }

    @Test(
        "A document is read without a member of its top level, of any kind",
        arguments: [
            "null", "1", "\"x\"", "[]", "{}", "[[],{}]", "{\"a\":[\"]\",\"}\"]}", "[\"\\\"]\",\"\\\\\"]",
            "{\"skipped\":{\"a\":1}}",
            "[ 1, no JSON at all, \"[\" ]",
        ])
    func without(value: String) throws {
        for text in [
            "{\"skipped\":\(value),\"a\":[1]}", "{\"a\":[1],\"skipped\": \(value) }", "{\"a\":[1]}",
        ] {
            #expect(try JSONReader.read(Array(text.utf8), without: "skipped") == ["a": [1]], "\(text)")
        }
        // Below the top level it is a member as any other one.
        #expect(
            try JSONReader.read(Array("{\"a\":{\"skipped\":[1]}}".utf8), without: "skipped") == ["a": ["skipped": [1]]])
    }

    @Test(
        "A member that is left out must end",
        arguments: [
            "{\"skipped\":[", "{\"skipped\":[{}", "{\"skipped\":[\"]}", "{\"skipped\":[\"\\", "{\"skipped\":[\"\\\"]}",
        ])
    func withoutEnd(text: String) {
        let error = #expect(throws: JSONError.self) { try JSONReader.read(Array(text.utf8), without: "skipped") }
        #expect(error?.offset == text.utf8.count)
    }

    @Test(
        "A valid document is read as the same value as another",
        arguments: [
            (" null ", "null"), ("\t\r\n[\t1\r,\n2 ]\n", "[1,2]"), ("{ \"a\" : 1 , \"b\" : 2 }", "{\"a\":1,\"b\":2}"),
            ("-0", "0"), ("-0.0", "0"), ("1.0", "1"), ("1e0", "1"), ("1E3", "1000"), ("1e+3", "1000"), ("1000e-3", "1"),
            ("1.5e1", "15"), ("0e99999", "0"), ("0.0e-99999", "0"), ("1e-400", "0"), ("-1e-99999999999999999999", "0"),
            ("0.00000000000000000000001", "1e-23"), ("123456789012345678901234567890", "1.2345678901234568e29"),
            ("9223372036854775808", "9.223372036854775808e18"), ("-9223372036854775809", "-9.223372036854775809e18"),
            ("18446744073709551616", "1.8446744073709552e19"), ("9007199254740993.0", "9007199254740992"),
            ("0.1000000000000000055511151231257827021181583404541015625", "0.1"),
            ("2.2250738585072011e-308", "2.225073858507201e-308"), ("1.7976931348623158e308", "1.7976931348623157e308"),
            ("3.141592653589793238462643383279", "3.141592653589793"), ("1e22", "10000000000000000000000"),
            ("1e23", "100000000000000000000000"), ("8.41e21", "8410000000000000000000"),
            ("\"\\u0041\"", "\"A\""), ("\"\\/\"", "\"/\""), ("\"\\u00e9\"", "\"é\""), ("\"\\uD83D\\uDE00\"", "\"😀\""),
            ("\"\\ud83d\\ude00\"", "\"😀\""), ("\"\\uDBFF\\uDFFF\"", "\"\u{10ffff}\""), ("\"\\uFFFF\"", "\"\u{ffff}\""),
            ("\"a\\nb\\u000ac\"", "\"a\\nb\\nc\""), ("\"\\u0022\\u005C\"", "\"\\\"\\\\\""),
            ("{\"\\u0061\":1}", "{\"a\":1}"), ("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"),
            ("\"12345678\\\\12345678\\\"\"", "\"12345678\\u005c12345678\\u0022\""),
        ])
    func equality(text: String, other: String) throws {
        let left = try JSONReader.read(text)
        let right = try JSONReader.read(other)
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left.canonicalText == right.canonicalText)
    }

    @Test(
        "A number is an integer or a double as its literal says",
        arguments: [
            ("1", JSONValue.integer(1)), ("-0", .integer(0)), ("1.0", .number(1)), ("1e2", .number(100)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(0x1p63)), ("-9223372036854775809", .number(-0x1p63)),
            ("9007199254740993", .integer(9_007_199_254_740_993)),
        ])
    func kinds(text: String, expected: JSONValue) throws {
        let value = try JSONReader.read(text)
        switch (value, expected) {
        case (.integer(let value), .integer(let expected)): #expect(value == expected)
        case (.number(let value), .number(let expected)): #expect(value == expected)
        default: Issue.record("\(text) was read as \(value.typeName)")
        }
    }

    @Test("The sign of a negative zero with a point is kept")
    func negativeZero() throws {
        let value = try JSONReader.read("-0.0")
        #expect(value.doubleValue?.sign == .minus)
    }

    /// An invalid document, and what its error must say.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var text: String
        var line: Int
        var column: Int
        var code: JSONError.Code
        var words: String

        init(_ text: String, _ line: Int, _ column: Int, _ words: String, _ code: JSONError.Code = .syntax) {
            self.text = text
            self.line = line
            self.column = column
            self.words = words
            self.code = code
        }

        var testDescription: String { text.debugDescription }
    }

    @Test(
        "An invalid document is refused with its position",
        arguments: [
            Refusal("", 1, 1, "the document is empty", .unexpectedEnd),
            Refusal("  \n ", 2, 2, "a value", .unexpectedEnd),
            Refusal("[", 1, 2, "the array of line 1, column 1 is not closed", .unexpectedEnd),
            Refusal("{", 1, 2, "a key", .unexpectedEnd),
            Refusal("[\n[1,\n 2]", 3, 4, "the array of line 1, column 1 is not closed", .unexpectedEnd),
            Refusal("[1", 1, 3, "',' or ']'", .unexpectedEnd),
            Refusal("[1,", 1, 4, "a value", .unexpectedEnd),
            Refusal("{\"a\"", 1, 5, "':'", .unexpectedEnd),
            Refusal("{\"a\":", 1, 6, "a value", .unexpectedEnd),
            Refusal("{\"a\":1", 1, 7, "',' or '}'", .unexpectedEnd),
            Refusal("{\"a\":1,", 1, 8, "a key", .unexpectedEnd),
            Refusal("\"abc", 1, 1, "inside a string that begins here", .unexpectedEnd),
            Refusal("[\"abc\\", 1, 2, "inside a string", .unexpectedEnd),
            Refusal("\"\\\"", 1, 1, "inside a string", .unexpectedEnd),
            Refusal("-", 1, 2, "a digit", .unexpectedEnd),
            Refusal("1.", 1, 3, "a digit", .unexpectedEnd),
            Refusal("1e", 1, 3, "a digit", .unexpectedEnd),
            Refusal("1e+", 1, 4, "a digit", .unexpectedEnd),
            Refusal("[1,]", 1, 4, "a comma before ']'"),
            Refusal("[1,2,\n]", 2, 1, "a comma before ']'"),
            Refusal("{\"a\":1,}", 1, 8, "a comma before '}'"),
            Refusal("[,1]", 1, 2, "',' found, expected a value"),
            Refusal("[1,,2]", 1, 4, "',' found, expected a value"),
            Refusal("[1 2]", 1, 4, "'2' found, expected ',' or ']'"),
            Refusal("[1}", 1, 3, "'}' found, expected ',' or ']'"),
            Refusal("{\"a\":1]", 1, 7, "']' found, expected ',' or '}'"),
            Refusal("{\"a\" 1}", 1, 6, "'1' found, expected ':'"),
            Refusal("{\"a\"::1}", 1, 6, "':' found, expected a value"),
            Refusal("{\"a\":1 \"b\":2}", 1, 8, "'\"' found, expected ',' or '}'"),
            Refusal("{,}", 1, 2, "',' found, expected a key in double quotes"),
            Refusal("{1:2}", 1, 2, "a key in double quotes"),
            Refusal("{a:1}", 1, 2, "a key in double quotes"),
            Refusal("{null:1}", 1, 2, "a key in double quotes"),
            Refusal("{'a':1}", 1, 2, "only JSON5 allows single quotes"),
            Refusal("{\"a\":'b'}", 1, 6, "only JSON5 allows single quotes"),
            Refusal("[1] // c", 1, 5, "only JSON5 allows comments"),
            Refusal("/**/1", 1, 1, "only JSON5 allows comments"),
            Refusal("]", 1, 1, "']' found, expected a value"),
            Refusal("}", 1, 1, "'}' found, expected a value"),
            Refusal("1 2", 1, 3, "'2' after the end of the document"),
            Refusal("[]]", 1, 3, "']' after the end of the document"),
            Refusal("{}\n{}", 2, 1, "after the end of the document"),
            Refusal("true,", 1, 5, "',' after the end"),
            Refusal("[\"a\"]x", 1, 6, "'x' after the end"),
            Refusal("tru", 1, 1, "'tru' is not a value"),
            Refusal("truee", 1, 1, "'truee' is not a value"),
            Refusal("[True]", 1, 2, "'True' is not a value"),
            Refusal("nul", 1, 1, "'nul' is not a value"),
            Refusal("[fals]", 1, 2, "'fals' is not a value"),
            Refusal("undefined", 1, 1, "'undefined' is not a value"),
            Refusal("NaN", 1, 1, "'NaN' is not a value"),
            Refusal("-Infinity", 1, 2, "'I' found, expected a digit"),
            Refusal("Infinity", 1, 1, "'Infinity' is not a value"),
            Refusal("+1", 1, 1, "'+' found, expected a value"), Refusal("++1", 1, 1, "'+' found, expected a value"),
            Refusal(".5", 1, 1, "'.' found, expected a value"), Refusal("-.5", 1, 2, "'.' found, expected a digit"),
            Refusal("--1", 1, 2, "'-' found, expected a digit"),
            Refusal("1.e1", 1, 3, "'e' found, expected a digit"),
            Refusal("[1.]", 1, 4, "']' found, expected a digit"),
            Refusal("[1ea]", 1, 4, "'a' found, expected a digit"),
            Refusal("1.2.3", 1, 4, "'.' after the end"),
            Refusal("[1x]", 1, 3, "'x' found, expected ',' or ']'"),
            Refusal("[0x10]", 1, 3, "'x' found, expected ',' or ']'"),
            Refusal("[ 012]", 1, 3, "must not begin with 0"),
            Refusal("-01", 1, 1, "must not begin with 0"),
            Refusal("00.5", 1, 1, "must not begin with 0"),
            Refusal("[１]", 1, 2, "'１' found, expected a value"),
            Refusal("[1,\n  1e400]", 2, 3, "too large", .numberOutOfRange),
            Refusal("-1e309", 1, 1, "too large", .numberOutOfRange),
            Refusal("1e99999999999999999999999", 1, 1, "too large", .numberOutOfRange),
            Refusal("\"a\nb\"", 1, 3, "a line break inside a string"),
            Refusal("[\"é\tb\"]", 1, 4, "a tab inside a string"),
            Refusal("\"\u{0}\"", 1, 2, "U+0 inside a string"),
            Refusal("\"12345678901234567890\u{1f}\"", 1, 22, "U+1F inside a string"),
            Refusal("\"\\x41\"", 1, 2, "an unknown escape"),
            Refusal("\"\\a\"", 1, 2, "an unknown escape"), Refusal("\"é\\'\"", 1, 3, "an unknown escape"),
            Refusal("\"\\U0041\"", 1, 2, "an unknown escape"), Refusal("\"\\\n\"", 1, 2, "an unknown escape"),
            Refusal("\"\\u12\"", 1, 2, "four hexadecimal digits"),
            Refusal("\"\\u12g4\"", 1, 2, "four hexadecimal digits"),
            Refusal("\"\\u+123\"", 1, 2, "four hexadecimal digits"),
            Refusal("\"x\\uD800\"", 1, 3, "half a surrogate pair", .invalidText),
            Refusal("\"\\uDC00\"", 1, 2, "half a surrogate pair", .invalidText),
            Refusal("\"\\uDC00\\uD800\"", 1, 2, "half a surrogate pair", .invalidText),
            Refusal("\"\\uD800\\uD800\"", 1, 2, "half a surrogate pair", .invalidText),
            Refusal("\"\\uD800\\n\"", 1, 2, "half a surrogate pair", .invalidText),
            Refusal("\"\\uD800\\u\"", 1, 2, "half a surrogate pair", .invalidText),
            Refusal("{\"\\uDFFF\":1}", 1, 3, "half a surrogate pair", .invalidText),
            Refusal("{\"a\":1,\"a\":2}", 1, 8, "the key \"a\" twice", .duplicateKey),
            Refusal("{\"a\":1,\n \"\\u0061\":2}", 2, 2, "the key \"a\" twice", .duplicateKey),
            Refusal("{\"x\":{\"\":1,\"\":1}}", 1, 12, "the key \"\" twice", .duplicateKey),
            Refusal("\u{feff}[]", 1, 1, "byte order mark", .invalidText),
            Refusal("[\u{feff}]", 1, 2, "U+FEFF found, expected a value"),
            Refusal("[\u{a0}1]", 1, 2, "U+A0 found, expected a value"),
            Refusal("[\u{c}1]", 1, 2, "U+C found, expected a value"),
            Refusal("[1\u{0}]", 1, 3, "U+0 found, expected ',' or ']'"),
            Refusal("[é]", 1, 2, "'é' found, expected a value"),
            Refusal("[\"日本\",\r\n\"😀\" \"x\"]", 2, 5, "'\"' found, expected ',' or ']'"),
            Refusal("[1,\r2 3]", 2, 3, "'3' found, expected ',' or ']'"),
            Refusal("<!-- -->", 1, 1, "'<' found, expected a value"),
            Refusal("#c\n1", 1, 1, "'#' found, expected a value"),
            Refusal("[\"a\",\n4\n,1,", 3, 4, "the array of line 1, column 1 is not closed", .unexpectedEnd),
        ])
    func refusals(refusal: Refusal) {
        let error = #expect(throws: JSONError.self) { try JSONReader.read(refusal.text) }
        #expect(error?.position == JSONPosition(line: refusal.line, column: refusal.column))
        #expect(error?.code == refusal.code)
        #expect(error?.message.contains(refusal.words) == true, "\(error?.message ?? "")")
    }

    @Test(
        "Invalid UTF-8 is refused with its position",
        arguments: [
            ([0x80], 0), ([0xbf], 0), ([0xc0, 0x80], 0), ([0xc1, 0xbf], 0), ([0xc3], 0), ([0xc3, 0x28], 0),
            ([0xe0, 0x80, 0x80], 0), ([0xe0, 0x9f, 0xbf], 0), ([0xe2, 0x82], 0), ([0xe2, 0x28, 0xa1], 0),
            ([0xed, 0xa0, 0x80], 0), ([0xed, 0xbf, 0xbf], 0), ([0xf0, 0x80, 0x80, 0x80], 0),
            ([0xf0, 0x8f, 0xbf, 0xbf], 0), ([0xf0, 0x9f, 0x98], 0), ([0xf4, 0x90, 0x80, 0x80], 0),
            ([0xf5, 0x80, 0x80, 0x80], 0), ([0xf8, 0x88, 0x80, 0x80, 0x80], 0), ([0xff], 0), ([0xfe], 0),
            ([0x61, 0xc3, 0xa9, 0xc3], 3), ([0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0xff], 9),
        ] as [([UInt8], Int)])
    func invalidText(bytes: [UInt8], offset: Int) {
        let inString = [UInt8(ascii: "[")] + [UInt8(ascii: "\"")] + bytes + Array("\"]".utf8)
        let error = #expect(throws: JSONError.self) { try JSONReader.read(inString) }
        #expect(error?.code == .invalidText)
        #expect(error?.offset == offset + 2)
        let comment = Array("// ".utf8) + bytes + Array("\n1".utf8)
        let second = #expect(throws: JSONError.self) { try JSONReader.read(comment, dialect: .json5) }
        #expect(second?.code == .invalidText)
        #expect(second?.offset == offset + 3)
    }

    @Test("Every prefix of a document is refused as unfinished or wrong, and never read")
    func prefixes() throws {
        let document = Array("{\"a\":[1.5e1,\"\\u00e9é\\uD83D\\uDE00\",true,null,{\"b\":-12}],\"c\":false}".utf8)
        _ = try JSONReader.read(document)
        for length in 0..<document.count {
            #expect(throws: JSONError.self) { try JSONReader.read(document[..<length]) }
            #expect(throws: JSONError.self) { try JSONReader.read(document[..<length], dialect: .json5) }
        }
    }

    @Test("A document with 20,000 keys is read and its duplicate found")
    func manyKeys() throws {
        let members = (0..<20_000).map { "\"key\($0)\":\($0)" }
        let object = try #require(try JSONReader.read("{\(members.joined(separator: ","))}").objectValue)
        #expect(object.count == 20_000)
        #expect(object["key19999"] == 19_999)
        #expect(object["key20000"] == nil)
        let error = #expect(throws: JSONError.self) {
            try JSONReader.read("{\((members + ["\"key7777\":0"]).joined(separator: ","))}")
        }
        #expect(error?.code == .duplicateKey)
    }

    @Test("Bytes, slices, text and buffers are read alike")
    func forms() throws {
        let text = "[1,\"é\"]"
        let bytes = Array(text.utf8)
        let expected: JSONValue = [1, "é"]
        #expect(try JSONReader.read(text) == expected)
        #expect(try JSONReader.read(bytes) == expected)
        #expect(try JSONReader.read(([0] + bytes + [0])[1...bytes.count]) == expected)
        let value = try unsafe bytes.withUnsafeBytes { unsafe try JSONReader.read($0) }
        #expect(value == expected)
    }
}
