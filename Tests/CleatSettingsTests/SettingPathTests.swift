import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SettingPathTests {
    @Test(arguments: [
        ("a", ["a"]),
        ("system/hostname", ["system", "hostname"]),
        ("network/interfaces/eth0.100/mtu", ["network", "interfaces", "eth0.100", "mtu"]),
        ("a/...", ["a", "..."]),
        ("a/.hidden", ["a", ".hidden"]),
        ("a b/c:d", ["a b", "c:d"]),
        ("files/etc~1issue", ["files", "etc/issue"]),
        ("a~0b/~01", ["a~b", "~1"]),
        ("größe/日本", ["größe", "日本"]),
        ("e\u{301}", ["e\u{301}"]),
        ("à", ["à"]),
    ])
    func accepts(_ text: String, _ segments: [String]) throws {
        let path = try SettingPath(text)
        #expect(path.text == text)
        #expect(path.segments == segments)
        #expect(path.count == segments.count)
        #expect(path.name == segments.last)
        #expect(try SettingPath(segments: segments) == path)
    }

    @Test(arguments: [
        ("", SettingPathError.Code.empty),
        ("/", .leadingSlash),
        ("/a", .leadingSlash),
        ("a/", .trailingSlash),
        ("a//b", .emptySegment),
        (".", .dotSegment),
        ("..", .dotSegment),
        ("a/./b", .dotSegment),
        ("a/../b", .dotSegment),
        ("a/..", .dotSegment),
        ("a\u{0}b", .controlCharacter),
        ("a\nb", .controlCharacter),
        ("a\u{1B}[31m", .controlCharacter),
        ("a\u{7F}", .controlCharacter),
        ("a\u{80}", .controlCharacter),
        ("a\u{9F}b", .controlCharacter),
        ("~", .invalidEscape),
        ("a~", .invalidEscape),
        ("a~/b", .invalidEscape),
        ("a~2b", .invalidEscape),
        ("a/b~x", .invalidEscape),
        ("~~0", .invalidEscape),
    ])
    func refuses(_ text: String, _ code: SettingPathError.Code) {
        let error = #expect(throws: SettingPathError.self) { try SettingPath(text) }
        #expect(error?.code == code)
        #expect(error?.description.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } == true)
    }

    @Test func limitsAreExact() throws {
        let segment = String(repeating: "x", count: 255)
        #expect(try SettingPath(segment).count == 1)
        #expect(throws: SettingPathError(.segmentTooLong, segment + "x")) { try SettingPath(segment + "x") }
        let deep = Array(repeating: "a", count: 16).joined(separator: "/")
        #expect(try SettingPath(deep).count == 16)
        #expect(throws: SettingPathError(.tooManySegments, deep + "/a")) { try SettingPath(deep + "/a") }
        let long = Array(repeating: segment, count: 4).joined(separator: "/")
        #expect(long.utf8.count == 1023)
        #expect(try SettingPath(long).count == 4)
        let longest =
            Array(repeating: segment, count: 3).joined(separator: "/") + "/" + String(repeating: "x", count: 254) + "/y"
        #expect(longest.utf8.count == 1024)
        #expect(try SettingPath(longest).count == 5)
        #expect(throws: SettingPathError(.tooLong, longest + "y")) { try SettingPath(longest + "y") }
        // Bytes are counted, not characters.
        #expect(throws: SettingPathError.self) { try SettingPath(String(repeating: "ü", count: 128)) }
        #expect(try SettingPath(String(repeating: "ü", count: 127)).name.count == 127)
    }

    @Test func errorsNameTheRuleAndTheRemedy() {
        let error = #expect(throws: SettingPathError.self) { try SettingPath("/a\u{7}") }
        #expect(error?.code == .leadingSlash && error?.excerpt == "/a\\u{7}")
        #expect(error?.description.contains("“/a\\u{7}”") == true)
        let long = #expect(throws: SettingPathError.self) { try SettingPath(String(repeating: "y", count: 5000)) }
        #expect(long?.description.contains("1024") == true)
        #expect(long.map { $0.description.count < 200 } == true)
    }

    @Test func comparesByBytes() throws {
        let composed = try SettingPath("\u{E9}")
        let decomposed = try SettingPath("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        let paths = try ["a", "a-b", "a/b", "a/b/c", "a0", "b", "é", "\u{10000}", "\u{FFFD}"].map {
            try SettingPath($0)
        }
        #expect(
            paths.shuffled().sorted().map(\.text) == [
                "a", "a-b", "a/b", "a/b/c", "a0", "b", "é", "\u{FFFD}", "\u{10000}",
            ])
    }

    @Test func walksUpAndDown() throws {
        let path = try SettingPath("a/b")
        #expect(path.parent?.text == "a")
        #expect(path.parent?.parent == nil)
        #expect(try path.appending("c/d~e").text == "a/b/c~1d~0e")
        #expect(try path.appending("c/d~e").name == "c/d~e")
        #expect(throws: SettingPathError.self) { try path.appending("") }
        #expect(throws: SettingPathError.self) { try path.appending("..") }
        #expect(throws: SettingPathError.self) { try path.appending("a\n") }
        #expect(throws: SettingPathError.self) { try SettingPath(segments: []) }
        #expect(throws: SettingPathError.self) { try SettingPath(segments: ["a", ""]) }
    }

    @Test(arguments: [
        ("a/b", "a/b", true), ("a/b", "a/b/c", true), ("a/b", "a/bc", false), ("a/b", "a", false),
        ("a/b", "a/b-c", false),
        ("é", "e\u{301}/x", false),
    ])
    func knowsWhatStandsBelow(_ prefix: String, _ path: String, _ expected: Bool) throws {
        #expect(try SettingPath(prefix).isPrefix(of: SettingPath(path)) == expected)
    }

    @Test func isAStringToCodable() throws {
        let path = try SettingPath("a/b")
        #expect(try JSONValue(encoding: [path]) == ["a/b"])
        #expect(try JSONValue(["a/b"]).decode([SettingPath].self) == [path])
        let error = #expect(throws: (any Error).self) { try JSONValue(["a//b"]).decode([SettingPath].self) }
        let rule = #expect(throws: SettingPathError.self) { try SettingPath("a//b") }
        #expect(rule?.code == .emptySegment && error.map { "\($0)".contains("a//b") } == true)
    }
}

extension JSONValue {
    init(_ elements: [JSONValue]) {
        self = .array(elements)
    }
}
