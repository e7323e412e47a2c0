import Cleat
import CleatViews

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A form for settings: `panel lamp` on a terminal, `panel lamp --html` as the fields of a web page.
@main
struct Panel {
    static let renderer = Renderer(form: .text)

    static func main() async {
        do {
            let words = CommandLine.arguments.dropFirst()
            let cleat = try await Cleat.connect()
            let rows = try await cleat.rows(below: words.first)
            if words.contains("--html") { return print(html(rows)) }
            print(renderer.render(SettingTable(rows)), terminator: "")
            try await edit(rows, of: cleat)
        } catch {
            print("panel: \(error)".printable)
            exit(1)
        }
    }

    /// Reads lines of the form `path=value`, and `path` to unset a setting, then saves all edits at once.
    static func edit(_ rows: [SettingRow], of cleat: Cleat) async throws {
        var rows = rows
        while true {
            // At the end of the input nothing is saved.
            guard let line = readLine() else { return }
            if line == "save" { break }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let path = parts.first, var row = rows[path] else {
                print("there is no setting \(line.printable)")
                continue
            }
            do throws(RefusedValue) {
                if parts.count == 2 { try row.edit(text: parts[1]) } else { row.unset() }
                rows[path] = row
                print(renderer.render(row), terminator: "")
            } catch {
                print(renderer.render(error), terminator: "")
            }
        }
        let count = rows.changes.count
        try await cleat.save(rows, comment: "panel")
        print("saved \(count) \(count == 1 ? "change" : "changes")")
    }

    /// Returns the rows as fields of HTML.
    static func html(_ rows: [SettingRow]) -> String {
        rows.map { row in
            let name = "name=\"\(escaped(row.path))\""
            let value = "value=\"\(escaped(row.text))\""
            let field =
                switch row.kind {
                case .toggle: "<input type=checkbox \(name)\(row.value == true ? " checked" : "")>"
                case .number(let range):
                    "<input type=number \(name) \(value) min=\"\(range.minimum?.description ?? "")\" "
                        + "max=\"\(range.maximum?.description ?? "")\"> \(escaped(range.unit ?? ""))"
                case .choice(let values):
                    "<select \(name)>\(values.map { "<option>\(escaped($0.stringValue ?? $0.description))" }.joined())</select>"
                case .secret: "<input type=password \(name)>"
                case .text, .list: "<input \(name) \(value)>"
                case .group: "<fieldset>\n\(html(row.rows))\n</fieldset>"
                }
            return "<label title=\"\(escaped(row.hint))\">\(escaped(row.title ?? row.path)) \(field)</label>"
        }.joined(separator: "\n")
    }

    static func escaped(_ text: String) -> String {
        let marks: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
        return text.map { marks[$0] ?? String($0) }.joined()
    }
}
