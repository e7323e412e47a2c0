import CleatJSON
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test(
        "A value is written in each style",
        arguments: [
            (
                "{\"b\":[1,2.5,{}],\"a\":[]}", "{\"a\":[],\"b\":[1,2.5,{}]}",
                "{\n  \"b\": [\n    1,\n    2.5,\n    {}\n  ],\n  \"a\": []\n}"
            ),
            ("[]", "[]", "[]"),
            ("[null,true,false,\"x\"]", "[null,true,false,\"x\"]", "[\n  null,\n  true,\n  false,\n  \"x\"\n]"),
            (
                "{\"é\":1,\"z\":2,\"e\\u0301\":3}", "{\"e\u{301}\":3,\"z\":2,\"é\":1}",
                "{\n  \"é\": 1,\n  \"z\": 2,\n  \"e\u{301}\": 3\n}"
            ),
        ])
    func styles(compact: String, canonical: String, pretty: String) throws {
        let value = try JSONReader.read(compact)
        #expect(Array(JSONWriter.write(value, style: .canonical).utf8) == Array(canonical.utf8))
        #expect(Array(JSONWriter.write(value, style: .pretty).utf8) == Array(pretty.utf8))
        let again = try JSONReader.read(JSONWriter.write(value, style: .compact))
        #expect(again == value)
    }

    @Test(
        "A number has its shortest text",
        arguments: [
            (1.0, "1.0", "1"), (-0.0, "-0.0", "0"), (0.1, "0.1", "0.1"), (1.5, "1.5", "1.5"),
            (-2.5e-3, "-0.0025", "-0.0025"),
            (1e20, "1e+20", "100000000000000000000"), (1e21, "1e+21", "1e+21"), (1.5e300, "1.5e+300", "1.5e+300"),
            (Double.leastNonzeroMagnitude, "5e-324", "5e-324"), (1e-6, "1e-06", "0.000001"), (1e-7, "1e-07", "1e-7"),
            (1.25e-7, "1.25e-07", "1.25e-7"), (0x1p63, "9.223372036854776e+18", "9223372036854776000"),
            (0x1p60, "1.152921504606847e+18", "1152921504606846976"), (123456.789, "123456.789", "123456.789"),
            (1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308"),
            (-0x1p63, "-9.223372036854776e+18", "-9223372036854775808"),
        ])
    func numbers(number: Double, compact: String, canonical: String) throws {
        #expect(JSONWriter.write(.number(number)) == compact)
        #expect(JSONWriter.write(.number(number), style: .canonical) == canonical)
    }
}
