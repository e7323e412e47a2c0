import CleatHooks
import Testing

@Suite("Patterns")
struct GlobTests {
    @Test(
        "match whole texts",
        arguments: [
            ("", "", true), ("", "a", false), ("a", "a", true), ("a", "A", false), ("a", "ab", false),
            ("*", "", true), ("*", "/devices/x", true), ("**", "abc", true), ("a*", "abc", true), ("a*", "ba", false),
            ("*/block/*", "/devices/pci/block/sda", true), ("*/block/*", "/devices/pci/net/eth0", false),
            ("[a|b]c", "|c", true), ("[]|]", "|", true), ("[!|]", "a", true), ("a||b", "", true),
            ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-b-b-c-", false), ("*ab", "aab", true), ("*aab", "aaab", true),
            ("?", "", false), ("?", "é", true), ("?", "👍", true), ("?", "ab", false), ("e??", "eth", true),
            ("[abc]", "b", true), ("[abc]", "d", false), ("[a-c]x", "cx", true), ("[!a-c]", "d", true),
            ("[!a-c]", "b", false), ("[^a]", "a", false), ("[]a]", "]", true), ("[!]]", "]", false),
            ("[a-]", "-", true),
            ("[-a]", "-", true), ("eth[0-9]", "eth7", true), ("eth[0-9]", "ethx", false), ("[*]", "*", true),
            ("[*]", "a", false), ("\\*", "*", true), ("\\*", "a", false), ("[\\]", "\\", true),
            ("add|change", "add", true), ("add|change", "change", true), ("add|change", "addchange", false),
            ("a|", "", true), ("eth*|wlan*", "wlan0", true), ("a[|]b", "a|b", true), ("a\\|b", "a|b", true),
        ])
    func matches(pattern: String, text: String, expected: Bool) throws {
        #expect(try HookPattern(pattern).matches(text) == expected)
    }

    @Test(
        "refuse invalid patterns",
        arguments: ["[", "[a", "[]", "[!]", "a\\", "[z-a]", String(repeating: "a", count: 1025)])
    func refuses(pattern: String) {
        #expect(throws: HookPatternError.self) { try HookPattern(pattern) }
    }

    @Test("take time linear in pattern × text")
    func hostile() throws {
        // A matcher that backtracks over every * would need 2^40 steps here.
        let pattern = try HookPattern(String(repeating: "*a", count: 40) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 20_000)))
    }

    @Test(
        "find a word that they match",
        arguments: [
            ("add", "add"), ("add|change", "add"), ("a*|change", "change"), ("*", nil), ("[ab]", nil), ("", ""),
            ("a\\|b", nil),
        ] as [(String, String?)])
    func word(pattern: String, word: String?) throws {
        #expect(try HookPattern(pattern).word == word)
    }
}
