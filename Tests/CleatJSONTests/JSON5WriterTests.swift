import CleatTestSupport
import Testing

@testable import CleatJSON

@Suite("JSON5 for people")
struct JSON5WriterTests {
    @Test("Keys have no quotes if that is safe")
    func keys() {
        let text = JSON5Writer.line([
            "plain_1": 1, "$x": 2, "1st": 3, "a-b": 4, "null": 5, "class": 6, "é": 7, "": 8, "a/b": 9, "a\"b\n": 10,
        ])
        #expect(
            text
                == #"{ plain_1: 1, $x: 2, "1st": 3, "a-b": 4, "null": 5, "class": 6, "é": 7, "": 8, "a/b": 9, "#
                + #""a\"b\n": 10 }"#)
    }

    @Test("Comments are wrapped, and nothing in them ends one")
    func comments() throws {
        let words = String(repeating: "word ", count: 40)
        var writer = JSON5Writer(comment: "one\r\ntwo\u{2028}x: 1\u{2029}\n\u{1b}[2Jred\u{202e} */ // \(words)")
        writer.add(comment: "\(words)\(words)")
        writer.add("a", [:], comment: "a\rb: 7,")
        writer.show("b\n}", "c\n\u{2028}}")
        writer.add("d", ["x": [1, 2.5, .null]])
        writer.finish()
        let text = writer.take()
        #expect(try JSONReader.read(text, dialect: .json5) == ["a": [:], "d": ["x": [1, 2.5, .null]]])
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.unicodeScalars.count <= 100 }, "\(text)")
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && !JSON5Comment.isActedUpon($0) })
        #expect(text.hasPrefix("// one\n// two\n// x: 1\n//\n// [2Jred */ // word "), "\(text)")
        #expect(text.contains("    // a\n    // b: 7,\n    a: {},\n"))
        #expect(text.hasSuffix("    d: { x: [1, 2.5, null] },\n}\n"))
    }

    @Test("A document on long lines is broken up")
    func long() throws {
        let words = JSONValue.array((0..<40).map { .string("element-\($0)") })
        var writer = JSON5Writer()
        writer.add("list", words)
        writer.add("short", [1])
        writer.finish()
        let text = writer.take()
        #expect(text.contains("    list: [\n        \"element-0\",\n"))
        #expect(text.hasSuffix("    ],\n    short: [1],\n}\n"))
        #expect(try JSONReader.read(text, dialect: .json5) == ["list": words, "short": [1]])
    }

    @Test("Whatever is written reads back equal", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var random = Values(state: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1)
        let value = random.value(depth: 4)
        #expect(try JSONReader.read(JSON5Writer.line(value), dialect: .json5) == value)
        var writer = JSON5Writer(comment: random.text())
        writer.add("value", value, comment: random.text())
        writer.finish()
        #expect(try JSONReader.read(writer.take(), dialect: .json5) == ["value": value])
    }

    @Test("Objects are opened and closed, empty ones on one line, and text may be taken between any two items")
    func objects() {
        var (writer, text) = (JSON5Writer(), "")
        writer.open("a")
        text += writer.take()
        writer.open("b-c")
        writer.close()
        writer.add("x", 1)
        text += writer.take()
        writer.open("d")
        writer.add("y", 2)
        writer.finish()
        text += writer.take()
        #expect(
            text == """
                {
                    a: {
                        "b-c": {},
                        x: 1,
                        d: {
                            y: 2,
                        },
                    },
                }

                """)
        var empty = JSON5Writer()
        empty.finish()
        #expect(empty.take() == "{}\n")
    }
}

/// Makes values with every kind of text and number.
private struct Values {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "_", "$", "0", " ", "\"", "'", "\\", "/", "*", "\n", "\r", "\t", "\0", "\u{7f}", "\u{85}", "é",
            "e\u{301}".unicodeScalars.last ?? "e", "\u{2028}", "\u{202e}", "\u{feff}", "😀", "\u{e0041}", "~", ":",
        ]
        var text = ""
        for _ in 0..<next(12) { text.unicodeScalars.append(scalars[next(scalars.count)]) }
        return text
    }

    mutating func value(depth: Int) -> JSONValue {
        switch next(depth > 0 ? 9 : 6) {
        case 0: .null
        case 1: .bool(next(2) == 0)
        case 2: .integer([0, -1, .max, .min, 9_007_199_254_740_993][next(5)])
        case 3: .number([-0.0, 1e300, -1.5e-300, 0.1, .leastNonzeroMagnitude, 1e21, .greatestFiniteMagnitude][next(7)])
        case 4, 5: .string(text())
        case 6: .array((0..<next(12)).map { _ in value(depth: depth - 1) })
        default: .object(JSONObject((0..<next(8)).map { _ in (text(), value(depth: depth - 1)) }))
        }
    }
}
