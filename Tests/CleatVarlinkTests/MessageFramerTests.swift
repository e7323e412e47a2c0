import CleatTestSupport
import Testing

@testable import CleatVarlink

@Suite struct MessageFramerTests {
    /// Feeds chunks and collects what comes out, the failure last.
    private static func messages(_ chunks: [[UInt8]], limit: Int) -> ([[UInt8]], MessageFramer.Failure?) {
        var framer = MessageFramer(limit: limit)
        var messages: [[UInt8]] = []
        for chunk in chunks where !chunk.isEmpty {
            framer.append(chunk)
            do throws(MessageFramer.Failure) {
                while let message = try framer.next() { messages.append(Array(message)) }
            } catch {
                return (messages, error)
            }
        }
        return (messages, nil)
    }

    static let streams: [(String, Int, [String], MessageFramer.Failure?)] = [
        ("", 8, [], nil), ("abc", 8, [], nil), ("abc␀", 8, ["abc"], nil), ("a␀b␀c␀", 8, ["a", "b", "c"], nil),
        ("a␀bc", 8, ["a"], nil), ("12345678␀a␀", 8, ["12345678", "a"], nil),
        ("a␀123456789␀", 8, ["a"], .tooLong(limit: 8)), ("123456789", 8, [], .tooLong(limit: 8)),
        ("12345678", 8, [], nil), ("␀", 8, [], .empty), ("a␀␀b␀", 8, ["a"], .empty),
    ]

    /// Every way to cut a stream in three.
    @Test(arguments: streams) func theCutDoesNotMatter(
        _ text: String, _ limit: Int, _ expected: [String], _ failure: MessageFramer.Failure?
    ) {
        let bytes = Array(text.replacing("␀", with: "\0").utf8)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let chunks = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
                let (messages, end) = Self.messages(chunks, limit: limit)
                #expect(messages == expected.map { Array($0.utf8) }, "cut at \(first) and \(second)")
                #expect(end == failure, "cut at \(first) and \(second)")
            }
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func randomCuts(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let messages = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            (0..<Int.random(in: 1...300, using: &random)).map { _ in UInt8.random(in: 1...255, using: &random) }
        }
        let stream = Array(messages.map { $0 + [0] }.joined())
        var chunks: [[UInt8]] = []
        var offset = 0
        while offset < stream.count {
            let count = min(Int.random(in: 1...200, using: &random), stream.count - offset)
            chunks.append(Array(stream[offset..<(offset + count)]))
            offset += count
        }
        let (got, failure) = Self.messages(chunks, limit: 300)
        #expect(got == messages)
        #expect(failure == nil)
    }

    @Test func keepsNoMoreThanTheRest() throws {
        var framer = MessageFramer(limit: 1000)
        framer.append(Array("abc\0de".utf8))
        #expect(try framer.next().map { Array($0) } == Array("abc".utf8))
        #expect(try framer.next() == nil)
        #expect(framer.pending == 2)
        framer.append(Array("f\0".utf8))
        #expect(try framer.next().map { Array($0) } == Array("def".utf8))
        #expect(try framer.next() == nil)
        #expect(framer.pending == 0)
    }

    /// However long a message is and wherever it is cut, its end is found, and no byte before it is taken for one.
    @Test(arguments: 0..<40)
    func theEndIsFoundWhereverItIs(length: Int) throws {
        // Bytes that resemble an end most in a comparison of eight bytes at a time.
        for filler in [UInt8(1), 0x80, 0x81, 0xff] {
            for cut in 0...length {
                let message = [UInt8](repeating: filler, count: length + 1)
                var framer = MessageFramer(limit: 1000)
                if cut.isMultiple(of: 2) { framer.expectLarge() }
                framer.append(Array(message[..<cut]))
                #expect(try framer.next() == nil)
                framer.append(Array(message[cut...]) + [0, 7, 0])
                #expect(try framer.next().map(Array.init) == message)
                #expect(try framer.next().map(Array.init) == [7])
            }
        }
    }
}
