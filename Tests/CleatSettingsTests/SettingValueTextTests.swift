import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SettingValueTextTests {
    @Test(
        arguments: [
            ("board", nil, "board"), ("", nil, ""), ("a,b", nil, "a,b"), ("true", nil, true), ("false", nil, false),
            ("42", nil, 42),
            (" 42 ", nil, 42), ("-1.5", nil, -1.5), ("1e3", nil, 1000), ("0x10", nil, 16), ("\"42\"", nil, "42"),
            ("'a b'", nil, "a b"),
            ("['a', 'b']", nil, ["a", "b"]), ("{a: 1}", nil, ["a": 1]), ("192.0.2.1", nil, "192.0.2.1"),
            ("1h30m", nil, "1h30m"),
            ("02:00:5e:10:00:01", nil, "02:00:5e:10:00:01"), ("-gw", nil, "-gw"), ("tea", nil, "tea"),
            ("Infinity", nil, "Infinity"), ("NaN", nil, "NaN"),
            ("-Infinity", nil, "-Infinity"), ("it's", nil, "it's"), ("'open", nil, "'open"), ("// x", nil, "// x"),
            ("9223372036854775807", nil, 9_223_372_036_854_775_807),
            ("1234", ["string"], "1234"), ("true", ["string"], "true"), ("null", ["string"], "null"),
            ("\"1234\"", ["string"], "1234"), (" a ", ["string"], " a "),
            ("[1]", ["string"], "[1]"), ("1234", ["integer"], 1234), ("1.0", ["integer"], 1), ("1", ["number"], 1),
            ("true", ["boolean"], true),
            ("['a']", ["array"], ["a"]), ("[]", ["array"], []), ("{}", ["object"], [:]),
            ("5", ["string", "integer"], 5), ("x", ["string", "integer"], "x"),
            ("5", [], 5),
        ] as [(String, [String]?, JSONValue)])
    func reads(_ text: String, _ types: [String]?, _ expected: JSONValue) throws {
        #expect(try SettingValueText.parse(text, types: types) == expected)
    }

    @Test(
        arguments: [
            ("null", nil, "unset"), ("null", ["integer"], "unset"), ("[a, b]", nil, "starts like JSON"),
            ("{a", nil, "quotes"),
            ("abc", ["integer"], "is not a whole number such as 1500"), ("1.5", ["integer"], "a whole number"),
            ("", ["integer"], "a whole number"),
            ("yes", ["boolean"], "is not true or false"), ("a,b", ["array"], "a list such as ['one', 'two']"),
            ("x", ["number", "array"], " or a list"),
            ("true", ["integer"], "a whole number"), ("Infinity", ["number"], "a number"), ("[1,", ["array"], "a list"),
        ] as [(String, [String]?, String)])
    func refuses(_ text: String, _ types: [String]?, _ part: String) {
        let error = #expect(throws: SettingValueTextError.self) { try SettingValueText.parse(text, types: types) }
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    }

    @Test func boundsTheText() {
        let long = String(repeating: "x", count: 300_000)
        #expect(throws: SettingValueTextError.self) { try SettingValueText.parse(long) }
        #expect(throws: SettingValueTextError.self) {
            try SettingValueText.parse("[" + String(repeating: "[", count: 100_000))
        }
    }
}
