import CleatJSON
import Testing

@Suite("JSON5 reader")
struct JSON5ReaderTests {
    @Test(
        "JSON5 as people write it is read as the JSON that it means",
        arguments: [
            ("// c\n1", "1"), ("/* c\n * / */ 1", "1"), ("1 // c", "1"), ("1 /**/", "1"),
            ("[/*a*/1/*b*/,//c\r2]", "[1,2]"),
            ("// é 日本\u{2028}1", "1"), ("{/**/}", "{}"), ("[//\n]", "[]"),
            ("[1,]", "[1]"), ("{a:1,}", "{\"a\":1}"), ("[[1,],]", "[[1]]"), ("[1 , ]", "[1]"),
            ("{a:1,b_2:2,$c:3,_:4}", "{\"a\":1,\"b_2\":2,\"$c\":3,\"_\":4}"), ("{é:1,日本:2}", "{\"é\":1,\"日本\":2}"),
            ("{null:1,true:2,NaN:3}", "{\"null\":1,\"true\":2,\"NaN\":3}"), ("{\\u0061b:1}", "{\"ab\":1}"),
            ("{a\u{200d}b:1}", "{\"a\u{200d}b\":1}"), ("{a\u{301}:1}", "{\"a\u{301}\":1}"), ("{a :1}", "{\"a\":1}"),
            ("{'a':'b'}", "{\"a\":\"b\"}"), ("'\"'", "\"\\\"\""), ("\"'\"", "\"'\""), ("'\\''", "\"'\""),
            ("'it\\'s'", "\"it's\""),
            ("'a\\\nb'", "\"ab\""), ("'a\\\r\nb'", "\"ab\""), ("'a\\\rb'", "\"ab\""), ("'a\\\u{2028}b'", "\"ab\""),
            ("'\\x41\\v\\0'", "\"A\\u000b\\u0000\""), ("'\\q\\é'", "\"qé\""), ("'\\u0041'", "\"A\""),
            ("'a\tb'", "\"a\\tb\""),
            ("'\u{2028}'", "\"\u{2028}\""), ("'\\xe9'", "\"é\""), ("'\\0a'", "\"\\u0000a\""),
            ("+1", "1"), ("+0", "0"), (".5", "0.5"), ("-.5", "-0.5"), ("+.5", "0.5"), ("5.", "5"), ("5.e1", "50"),
            ("-0.", "0"),
            (".5e1", "5"), ("0x10", "16"), ("0XfF", "255"), ("-0x1", "-1"), ("+0x1", "1"),
            ("0x7fffffffffffffff", "9223372036854775807"),
            ("-0x8000000000000000", "-9223372036854775808"), ("0x8000000000000000", "9223372036854775808"),
            ("0xffffffffffffffff", "18446744073709551615"), ("0x10000000000000000", "18446744073709551616"),
            ("0x20000000000001000000000", "618970019642690206169038848"),
            (".123456789012345678901234567890", "0.12345678901234568"),
            ("123456789012345678901234567890.", "123456789012345678901234567890"),
            ("\u{a0}\u{feff}\u{2028}\u{3000}\u{b}\u{c}1\u{2003}", "1"), ("[1\u{a0}]", "[1]"),
        ])
    func equality(text: String, json: String) throws {
        let value = try JSONReader.read(text, dialect: .json5)
        #expect(value == (try JSONReader.read(json)))
    }

    @Test(
        "Invalid JSON5 is refused with its position",
        arguments: [
            JSONReaderTests.Refusal("", 1, 1, "the document is empty", .unexpectedEnd),
            .init("// only\n", 2, 1, "a value", .unexpectedEnd),
            .init("1 /* c", 1, 3, "the comment is not closed", .unexpectedEnd),
            .init("[1,\n/*/ 2]", 2, 1, "the comment is not closed", .unexpectedEnd),
            .init("/1", 1, 1, "a comment begins with // or /*"), .init("[1 /", 1, 4, "a comment begins with"),
            .init("[,]", 1, 2, "',' found, expected a value"), .init("[1,,]", 1, 4, "',' found, expected a value"),
            .init("{,}", 1, 2, "',' found, expected a key"), .init("{a:1,,}", 1, 6, "',' found, expected a key"),
            .init("{a b:1}", 1, 4, "'b' found, expected ':'"), .init("{1a:1}", 1, 2, "'1' found, expected a key"),
            .init("{a-b:1}", 1, 3, "'-' found, expected ':'"), .init("{😀:1}", 1, 2, "'😀' found, expected a key"),
            .init("{\\u0031:1}", 1, 2, "found, expected a key"), .init("{\\x61:1}", 1, 2, "found, expected a key"),
            .init("{\u{301}a:1}", 1, 2, "found, expected a key"),
            .init("{a:1,'a':2}", 1, 6, "the key \"a\" twice", .duplicateKey),
            .init("{a:1,\\u0061:2}", 1, 6, "the key \"a\" twice", .duplicateKey),
            .init("{a:b}", 1, 4, "'b' found, expected a value"), .init("{a:bee}", 1, 4, "'bee' is not a value"),
            .init("'a", 1, 1, "inside a string", .unexpectedEnd),
            .init("'a\"", 1, 1, "inside a string", .unexpectedEnd),
            .init("'a\nb'", 1, 3, "a line break inside a string"),
            .init("\"a\rb\"", 1, 3, "a line break inside a string"),
            .init("'\\1'", 1, 2, "a decimal escape"), .init("'\\01'", 1, 2, "a decimal escape"),
            .init("'\\x4'", 1, 2, "two hexadecimal digits"), .init("'\\u123'", 1, 2, "four hexadecimal digits"),
            .init("'\\uD800'", 1, 2, "half a surrogate pair", .invalidText),
            .init("{\\uD800:1}", 1, 2, "half a surrogate pair", .invalidText),
            .init("NaN", 1, 1, "NaN cannot be kept", .numberOutOfRange),
            .init("[-NaN]", 1, 2, "NaN cannot be kept", .numberOutOfRange),
            .init("[1,\n +Infinity]", 2, 2, "Infinity cannot be kept", .numberOutOfRange),
            .init("-Infinity", 1, 1, "Infinity cannot be kept", .numberOutOfRange),
            .init("Inf", 1, 1, "'Inf' is not a value"), .init("Nope", 1, 1, "'Nope' is not a value"),
            .init("1e999", 1, 1, "too large", .numberOutOfRange),
            .init("0x", 1, 3, "a digit", .unexpectedEnd), .init("0xg", 1, 3, "'g' found, expected a digit"),
            .init("0x1.8", 1, 4, "'.' after the end"), .init("010", 1, 1, "must not begin with 0"),
            .init(".", 1, 2, "a digit", .unexpectedEnd), .init("+", 1, 2, "a digit", .unexpectedEnd),
            .init("[.]", 1, 3, "']' found, expected a digit"), .init(".e1", 1, 2, "'e' found, expected a digit"),
            .init("+-1", 1, 2, "'-' found, expected a digit"), .init("- 1", 1, 2, "' ' found, expected a digit"),
            .init("\u{feff}1", 1, 1, "byte order mark", .invalidText),
            .init("`a`", 1, 1, "'`' found, expected a value"),
            .init("{\n  match: { source: 'link' },\n  run: ['a' 'b'],\n}", 3, 13, "''' found, expected ',' or ']'"),
        ])
    func refusals(refusal: JSONReaderTests.Refusal) {
        let error = #expect(throws: JSONError.self) { try JSONReader.read(refusal.text, dialect: .json5) }
        #expect(error?.position == JSONPosition(line: refusal.line, column: refusal.column))
        #expect(error?.code == refusal.code)
        #expect(error?.message.contains(refusal.words) == true, "\(error?.message ?? "")")
    }

    @Test("Keys and values are found again in the text")
    func locations() throws {
        let text = """
            // a hook
            {
              match: { source: 'link', "é": 1 },
              run: [
                '/bin/true',
                [ 5 ],
              ],
            }
            """
        let (value, locations) = try JSONReader.readWithLocations(text, dialect: .json5)
        #expect(value["run"]?[1]?[0] == 5)
        #expect(locations.position(of: []) == JSONPosition(line: 2, column: 1))
        #expect(locations.position(of: ["match"]) == JSONPosition(line: 3, column: 10))
        #expect(locations.position(ofKey: ["match"]) == JSONPosition(line: 3, column: 3))
        #expect(locations.position(of: ["match", "é"]) == JSONPosition(line: 3, column: 33))
        #expect(locations.position(ofKey: ["match", "é"]) == JSONPosition(line: 3, column: 28))
        #expect(locations.position(of: ["run", "0"]) == JSONPosition(line: 5, column: 5))
        #expect(locations.position(of: ["run", "1", "0"]) == JSONPosition(line: 6, column: 7))
        #expect(locations.position(ofKey: ["run", "1"]) == nil)
        #expect(locations.position(of: ["run", "2"]) == nil)
        #expect(locations.nearestPosition(to: ["run", "2", "x"]) == JSONPosition(line: 4, column: 8))
        #expect(locations.nearestPosition(to: ["timeout"]) == JSONPosition(line: 2, column: 1))
    }
}
