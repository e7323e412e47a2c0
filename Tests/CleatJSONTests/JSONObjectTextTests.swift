import CleatJSON
import Testing

@Suite struct JSONObjectTextTests {
    private enum Colour: String { case red, veryRed = "very-red" }

    private struct Point: JSONObjectWritable {
        let x: Int64
        let y: Int64?

        func write(to json: inout JSONObjectText) {
            json.begin()
            json.member("x", x)
            if let y { json.member("y", y) }
            json.end()
        }
    }

    private static func text(_ body: (inout JSONObjectText) -> Void) -> String {
        var json = JSONObjectText()
        json.begin()
        body(&json)
        json.end()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test func writesEachKindOfMember() throws {
        let text = Self.text { json in
            json.member("text", "a\"\\\n\u{1}é")
            json.member("empty", "")
            json.member("least", Int64.min)
            json.member("most", Int.max)
            json.member("yes", true)
            json.member("no", false)
            json.member("null", JSONValue.null)
            json.member("value", ["a": [1, 2.5]] as JSONValue)
            json.member("colour", Colour.veryRed)
            json.member("texts", ["a", "]", ""])
            json.member("noTexts", [String]())
            json.member("properties", ["b": "2", "B": "{", "ä": "\""])
            json.member("noProperties", [String: String]())
            json.member("point", Point(x: 1, y: nil))
            json.member("points", [Point(x: 1, y: 2), Point(x: -3, y: nil)])
            json.member("noPoints", [Point]())
            json.member("objects", [["a": 1], ["b": 2], [:]] as [JSONObject])
            json.member("last", "[")
        }
        let expected: JSONValue = [
            "text": "a\"\\\n\u{1}é", "empty": "", "least": .integer(.min), "most": .integer(Int64(Int.max)),
            "yes": true, "no": false, "null": .null, "value": ["a": [1, 2.5]], "colour": "very-red",
            "texts": ["a", "]", ""], "noTexts": [], "properties": ["B": "{", "b": "2", "ä": "\""], "noProperties": [:],
            "point": ["x": 1], "points": [["x": 1, "y": 2], ["x": -3]], "noPoints": [],
            "objects": [["a": 1], ["b": 2], [:]], "last": "[",
        ]
        #expect(text == JSONWriter.write(expected))
        #expect(try JSONReader.read(text) == expected)
    }

    @Test func writesAnEmptyObject() {
        #expect(Self.text { _ in } == "{}")
        #expect(([:] as JSONObjectText).bytes == Array("{}".utf8))
    }

    @Test func continuesAText() {
        var json = JSONObjectText(after: Array("{\"parameters\":".utf8))
        Point(x: 1, y: 2).write(to: &json)
        #expect(String(decoding: json.bytes, as: UTF8.self) == "{\"parameters\":{\"x\":1,\"y\":2}")
    }

    @Test func writesLines() {
        var json = JSONObjectText()
        for x in [1, 2] as [Int64] {
            Point(x: x, y: nil).write(to: &json)
            json.bytes.append(UInt8(ascii: "\n"))
        }
        #expect(String(decoding: json.bytes, as: UTF8.self) == "{\"x\":1}\n{\"x\":2}\n")
    }

    @Test func aLiteralHasItsOwnOrder() {
        let json: JSONObjectText = ["b\"": 1, "a": "x"]
        #expect(String(decoding: json.bytes, as: UTF8.self) == "{\"b\\\"\":1,\"a\":\"x\"}")
        #expect((["b\"": 1, "a": "x"] as JSONObject).encoded.bytes == json.bytes)
    }
}
