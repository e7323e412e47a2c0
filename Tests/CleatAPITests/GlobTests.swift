import CleatAPI
import Testing

@Suite("Globs")
struct GlobTests {
    @Test(
        "Patterns match whole texts",
        arguments: [
            ("", "", true), ("", "a", false), ("*", "", true), ("*", "/devices/a", true), ("a*", "abc", true),
            ("a*", "ba", false), ("*c", "abc", true), ("*b*", "abc", true), ("a*c*e", "abcde", true),
            ("a*c*e", "abcd", false), ("/devices/*/block/*", "/devices/virtual/block/loop0", true),
            ("eth?", "eth0", true),
            ("eth?", "eth", false), ("eth?", "eth10", false), ("?", "\u{e4}", true), ("??", "\u{e4}", false),
            ("eth[0-3]", "eth2", true), ("eth[0-3]", "eth4", false), ("eth[!0-3]", "eth4", true),
            ("eth[^0]", "eth0", false),
            ("[]]", "]", true), ("[a-]", "-", true), ("[!]]", "]", false), ("\\*", "*", true), ("\\*", "a", false),
            ("**a**", "a", true), ("up", "Up", false), ("*aab", "aaab", true), ("*ab*ab", "abxab", true),
        ])
    func matching(_ pattern: String, _ text: String, _ expected: Bool) throws {
        let glob = try #require(Glob(pattern))
        #expect(glob.matches(text) == expected)
    }

    @Test("Unfinished patterns are refused", arguments: ["[a", "[", "[!", "[]", "a\\", "[z-a]"])
    func refused(_ pattern: String) {
        #expect(Glob(pattern) == nil)
    }

    @Test("A pattern beyond the limit is refused, the worst one within it ends")
    func bounds() throws {
        #expect(Glob(String(repeating: "a", count: Glob.limit + 1)) == nil)
        let worst = try #require(Glob(String(repeating: "*a", count: 400) + "b"))
        #expect(!worst.matches(String(repeating: "a", count: 2_000)))
    }
}
