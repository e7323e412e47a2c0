import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatViews
import Testing

@testable import cleat

@Suite struct PrintableTests {
    @Test(arguments: [
        ("plain text ~", "plain text ~"), ("", ""), ("Grüße, 世界 👋🏽", "Grüße, 世界 👋🏽"), ("a\nb\r\tc", #"a\nb\r\tc"#),
        ("\u{1b}[31m", #"\x1b[31m"#), ("\u{0}\u{7}\u{8}", #"\x00\x07\x08"#), ("\u{7f}", #"\x7f"#),
        ("\u{85}\u{9b}31m", #"\x85\x9b31m"#), ("a\u{202e}b\u{2066}", #"a\u{202e}b\u{2066}"#),
        ("\u{2028}\u{feff}\u{200f}", #"\u{2028}\u{feff}\u{200f}"#), ("\u{e0041}", #"\u{e0041}"#),
        ("\r\n", #"\r\n"#),
    ]) func escapes(_ text: String, _ printable: String) {
        #expect(text.printable == printable)
    }
}

@Suite struct SettingTextTests {
    /// Printed texts can be typed again and mean the same.
    @Test(
        arguments: [
            "pump-7", "true", "null", "42", "-1.5", "0042", "1.2.3.4", "", " a", "a ", "[x]", "{", "\"q\"", "'q'",
            "a b",
            "192.0.2.1", "192.0.2.1/24", "12:30", "2001:db8::1", "02:00:5e:00:53:01", "1.", "1..2", "..1", ":", "1:",
            "1.5:", "1 :2", "1.2.3 ", "1/*.*/.2", "1//:", "0x1:2", "1e5", "1.2.3\u{e9}", "9.9.9\n",
            "+1", ".5", "Infinity", "NaN", "0x10", "false", "-", "30s", "5MiB", "a\"b", "t", "+Infinity", "-Infinity",
        ] as [JSONValue])
    func canBeTypedAgain(_ value: JSONValue) throws {
        #expect(try SettingValueText.parse(SettingText.text(of: value)) == value)
    }

    @Test(arguments: ["192.0.2.1/24", "12:30", "1.2.3", "2001:db8::1"])
    func writesAddressesWithoutQuotes(_ text: String) { #expect(SettingText.text(of: .string(text)) == text) }

    @Test func canBeTypedAgainIfTheyLookLikeNumbers() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0..<7, using: &generator)).map { _ in
                    "0123.:/*xeE+- a\n\"".randomElement(using: &generator) ?? "0"
                })
            #expect(try SettingValueText.parse(SettingText.text(of: .string(text))) == .string(text))
        }
    }

    @Test(arguments: [true, false, 0, 42, -1, 1.5, [], ["a", 1], [:], ["a": true]] as [JSONValue])
    func otherValuesToo(_ value: JSONValue) throws {
        #expect(try SettingValueText.parse(SettingText.text(of: value)) == value)
    }
}
