import CleatSandbox
import Testing

/// Tests of the names that a pattern matches.
@Suite struct NamePatternTests {
    @Test(
        arguments: [
            ("hostname", ["hostname"], ["hostnam", "hostname2", "Hostname", ""]),
            (
                "*.network", ["a.network", "10-é.network", ".network".replacing(".", with: "x.")],
                ["a.networks", ".network"]
            ),
            ("*", ["a", "a.b"], [".a"]),
            (".*", [".a", "."], ["a"]),
            ("a?c", ["abc", "aéc"], ["ac", "abbc"]),
            ("a*b*c", ["abc", "aXbXc", "abcbc", "abbc"], ["acb", "abcd"]),
            ("**a", ["a", "ba"], ["ab"]),
        ] as [(String, [String], [String])])
    func names(pattern: String, meant: [String], not: [String]) throws {
        let pattern = try #require(NamePattern(pattern))
        for name in meant { #expect(pattern.matches(name), "\(name)") }
        for name in not { #expect(!pattern.matches(name), "\(name)") }
    }

    @Test(arguments: ["", "a[b]", "{a,b}", "a\\*", "a/b"])
    func whatIsNotSupportedIsNoPattern(text: String) {
        #expect(NamePattern(text) == nil)
    }

    @Test func manyStarsEnd() throws {
        let pattern = try #require(NamePattern(String(repeating: "a*", count: 100) + "b"))
        #expect(!pattern.matches(String(repeating: "a", count: 255)))
    }
}
