import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import cleat

@Suite struct LineReaderTests {
    /// Reads a file's lines; nil stands for one that is too long.
    private static func lines(_ text: String, limit: Int) throws -> [String?] {
        let directory = try TemporaryDirectory()
        let file = try FileDescriptor.open(
            FilePath(try directory.write(text, to: "lines")), .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            var reader = LineReader(file, limit: limit)
            var lines: [String?] = []
            while let line = try reader.next(beforeWaiting: {}) {
                switch line {
                case .whole(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
                case .tooLong: lines.append(nil)
                }
            }
            return lines
        }
    }

    @Test(
        arguments: [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nbc", ["a", "", "bc"]),
            ("12345\n123456\n1\n", ["12345", nil, "1"]), ("123456", [nil]), ("1\n123456", ["1", nil]),
        ] as [(String, [String?])])
    func splits(_ text: String, _ lines: [String?]) throws {
        #expect(try Self.lines(text, limit: 5) == lines)
    }

    /// Lines that are longer than what is read at once, on both sides of the bound.
    @Test(arguments: [65_535, 65_536, 65_537, 200_000])
    func longLines(_ count: Int) throws {
        let line = String(repeating: "x", count: count)
        let text = "a\n\(line)\nb\n\(line)x\nc\n\(line)\(line)\(line)"
        #expect(try Self.lines(text, limit: count) == ["a", line, "b", nil, "c", nil])
    }

    @Test func lineEndsOfOtherKindsAreEscaped() throws {
        var output = Array("x\u{85}\u{e9}\u{2028}\u{20ac}\u{2029}\u{e9}".utf8)
        BatchValidation.escapeLineEnds(in: &output, from: 1)
        #expect(String(decoding: output, as: UTF8.self) == #"x\u0085é\u2028€\u2029é"#)
    }

    /// Each line is validated by its own schema, whatever the former line had.
    @Test func theSchemaOfTheLineBeforeIsKeptOnlyWhereItIsTheSame() {
        var judgement = BatchValidation(.documents(assertFormat: false))
        func answer(_ text: String) -> JSONObject { judgement.answer(to: .whole(Array(text.utf8)[...])) }
        #expect(answer(#"{"schema":{"const":1},"data":1}"#) == ["valid": true])
        #expect(answer(#"{"schema":{"const":1},"data":2}"#)["valid"] == false)
        #expect(answer(#"{"schema":{"const":2},"data":2}"#) == ["valid": true])
        #expect(answer(#"{"schema":{"$ref":"http://other.example/"},"data":2}"#)["error"] != nil)
        #expect(answer(#"{"schema":{"$ref":"http://other.example/"},"data":2}"#)["error"] != nil)
        #expect(answer(#"{"schema":{"const":2},"data":2}"#) == ["valid": true])
        #expect(judgement.failures == 2)
        #expect(judgement.answer(to: .tooLong)["error"] != nil)
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(answer(##"{"schema":{"items":{"$ref":"#"},"type":"array"},"data":\##(deep)}"##) == ["valid": true])
        #expect(answer(String(repeating: "[", count: 100_000))["error"] != nil)
    }
}
