import Cleat
import CleatTestSupport
import CleatViews
import SystemPackage
import Testing

/// Tests of rows for forms with a real service.
extension LibraryTests {
    private static let schema = """
        { "type": "object", "properties": { "lamp": { "type": "object", "title": "Lamp", "properties": {
          "on": { "type": "boolean", "default": false, "title": "On" },
          "level": { "type": "integer", "minimum": 0, "maximum": 100, "default": 80, "x-unit": "%", "title": "Level" },
          "speed": { "enum": ["slow", "fast"], "default": "slow" },
          "fade": { "type": "string", "format": "duration", "maximum": 60000 },
          "label": { "type": "string", "minLength": 1, "maxLength": 40 },
          "scenes": { "type": "array", "items": { "type": "string" }, "uniqueItems": true },
          "pin": { "type": "string", "minLength": 8, "writeOnly": true } } } } }
        """

    private static func startWithLamp(_ board: Board) async throws {
        try board.makeSourceDirectories()
        try board.write(vendor: "schema.d/lamp.json", schema)
        _ = try await board.start()
    }

    @Test("A row refuses with the text of cleat set, and saves what the service stores")
    func rows() async throws {
        try await Board.with { board in
            try await Self.startWithLamp(board)
            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            var rows = try await cleat.rows(below: "lamp")
            #expect(
                rows.map(\.kind.name) == ["text", "text", "number", "switch", "secret", "list", "choice"], "\(rows)")
            for (name, text) in [
                ("level", "101"), ("level", "x"), ("level", "9223372036854775808"), ("level", "NaN"), ("on", "maybe"),
                ("speed", "medium"), ("fade", "2m"), ("fade", "soon"), ("label", ""), ("label", "null"),
                ("scenes", "[\"a\", \"a\"]"), ("scenes", "[1"), ("scenes", "a"), ("pin", "short"), ("pin", "1234"),
                ("label", String(repeating: "é\u{1b}", count: 41)),
            ] {
                let path = "lamp/\(name)"
                let refused = try #require(throws: RefusedValue.self) { try rows[path]?.edit(text: text) }
                let printed = try await board.cleat("set", "\(path)=\(text)")
                #expect(printed.status == 65)
                for line in Renderer(form: .text).render(refused).split(separator: "\n") {
                    #expect(printed.errorText.contains(line), "\(path)=\(text): \(line) is not in \(printed.errorText)")
                }
                #expect(name != "pin" || !"\(refused)".contains(text))
            }
            #expect(!rows.contains { $0.isEdited })
            for (name, text) in [
                ("level", "30"), ("on", "true"), ("speed", "fast"), ("fade", "1500"), ("label", "42"),
                ("scenes", "['a', 'b']"), ("pin", "12345678"),
            ] { try rows["lamp/\(name)"]?.edit(text: text) }
            let stored = rows.compactMap(\.value)
            #expect(stored == ["1s500ms", "42", 30, true, ["a", "b"], "fast"])
            try await cleat.save(rows, comment: "form")
            let again = try await cleat.rows(below: "lamp")
            #expect(again.compactMap(\.value) == stored && again.allSatisfy { $0.isSet })
            #expect(again["lamp/pin"]?.shown.text == "(secret)" && again["lamp/pin"]?.value == nil)
            let printed = try await board.cleat("log", "--output", "json")
            #expect(printed.output.contains("\"form\""))
        }
    }

    @Test("The example form edits settings on a terminal, and writes them as fields of a web page")
    func panel() async throws {
        try await Board.with { board in
            try await Self.startWithLamp(board)
            let programs = ["PANEL": TestPlaces.program("panel").string]
            let edited = try await board.script(
                #"exec "$PANEL" lamp"#, environment: programs,
                input:
                    "lamp/level=300\nlamp/level=30\nlamp/speed=medium\nlamp/on=true\nlamp/pin=12345678\nlamp/x=1\nsave\n"
            )
            #expect(edited.status == 0, "\(edited)")
            #expect(
                edited.output == """
                    SETTING      VALUE    ALLOWED
                    lamp/fade    (unset)  string; a duration such as “30s”, “1h30m” or “250ms”; at most 1m
                    lamp/label   (unset)  string; 1 to 40 characters
                    lamp/level   80 %     integer; 0 to 100; in %
                    lamp/on      false    boolean
                    lamp/pin     (unset)  string; at least 8 characters
                    lamp/scenes  (unset)  array; no item twice; each item: string
                    lamp/speed   slow     one of slow, fast
                    lamp/level: is 300, but must be at most 100; give 0 to 100
                    lamp/level = 30 %  (edited)
                    lamp/speed: is “medium”, but must be one of “slow”, “fast”
                    lamp/on = true  (edited)
                    lamp/pin = (secret)  (edited)
                    there is no setting lamp/x=1
                    saved 3 changes

                    """)
            #expect(try await board.cleat("get", "lamp/level").output == "30\n")
            let page = try await board.script(#"exec "$PANEL" lamp --html"#, environment: programs)
            #expect(
                page.lines.contains(
                    "<label title=\"integer; 0 to 100; in %\">Level <input type=number name=\"lamp/level\" value=\"30\" "
                        + "min=\"0\" max=\"100\"> %</label>"), "\(page.output)")
            #expect(!page.output.contains("12345678"))
        }
    }
}
