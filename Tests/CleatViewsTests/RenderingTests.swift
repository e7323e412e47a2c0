import CleatJSON
import CleatViews
import Testing

@Suite struct RenderingTests {
    private struct Lamp: TablePresentable, JSONPresentable {
        var lamps: [(name: String, state: String)]
        var columns: [String] { ["LAMP", "STATE"] }
        var rows: [[TextSpan]] { lamps.map { [TextSpan($0.name, .name), TextSpan($0.state)] } }
        var emptyNote: String { "there is no lamp" }
    }

    @Test(arguments: [
        ("plain", 5), ("", 0), ("Grüße", 5), ("e\u{301}", 1), ("世界", 4), ("ｆｕｌｌ", 8), ("한글", 4), ("👋", 2), ("👋🏽", 2),
        ("a\u{1b}[31m", 9), ("\u{202e}", 8), ("–", 1), ("ё", 1),
    ]) func widthInColumns(_ text: String, _ width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test func columnsAreAlignedByTheirWidth() {
        let view = Lamp(lamps: [("世界", "on"), ("desk\u{301}", "off\u{1b}[2J"), ("ab", "")])
        #expect(
            Renderer(form: .text).render(view) == """
                LAMP  STATE
                世界  on
                desk\u{301}  off\\x1b[2J
                ab

                """)
        #expect(Renderer(form: .text).render(Lamp(lamps: [])) == "there is no lamp\n")
    }

    @Test("A table in parts is the whole one, if no later cell is wider; a wider one moves the rest")
    func parts() {
        let all = [("a", "on"), ("longest", "off"), ("b", ""), ("cc", "on")]
        func text(_ parts: [[(String, String)]]) -> String {
            var (layout, page) = (TableLayout(), TextPage())
            for part in parts { layout.write(Lamp(lamps: part), to: &page) }
            layout.finish(Lamp(lamps: []), on: &page)
            return page.text
        }
        let whole = Renderer(form: .text).render(Lamp(lamps: all))
        #expect(text([all]) == whole && text([Array(all[..<2]), [], Array(all[2...])]) == whole)
        #expect(text([[("a", "on")], [("longest", "off")]]) == "LAMP  STATE\na     on\nlongest  off\n")
        #expect(text([]) == "there is no lamp\n" && text([[], []]) == text([]))
    }

    @Test func aTableHasAJSONOfItsOwn() throws {
        let view = Lamp(lamps: [("desk", "on"), ("hall\n", "off")])
        #expect(
            try JSONReader.read(Renderer(form: .json).render(view)) == [
                ["lamp": "desk", "state": "on"], ["lamp": "hall\n", "state": "off"],
            ])
        #expect(
            Renderer(form: .jsonLines).render(view)
                == "{\"lamp\":\"desk\",\"state\":\"on\"}\n{\"lamp\":\"hall\\n\",\"state\":\"off\"}\n")
    }

    @Test func coloursAreOnlyInColouredText() {
        var page = TextPage(colour: true)
        page.line(.init("\u{1b}[5m", .bad), .init(" plain"))
        #expect(page.text == "\u{1b}[31m\\x1b[5m\u{1b}[0m plain\n")
    }
}
