import CleatJSON

/// Renders a view model as text in one output format.
struct Renderer: Sendable {
    var form: OutputForm
    var colour = false
    /// True if views show details, too.
    var isVerbose = false

    /// Renders a view.
    func render(_ view: some TextPresentable & JSONPresentable) -> String {
        switch form {
        case .text:
            var page = TextPage(colour: colour, isVerbose: isVerbose)
            view.write(to: &page)
            return page.text
        case .json:
            return JSONWriter.write(view.json, style: .pretty) + "\n"
        case .jsonLines:
            return lines(view.jsonLines)
        }
    }

    /// Renders one item of a stream; both JSON formats give one line for each value.
    func renderItem(_ view: some TextPresentable & JSONPresentable) -> String {
        form == .text ? render(view) : lines(view.jsonLines)
    }

    private func lines(_ values: [JSONValue]) -> String {
        var text = ""
        for value in values {
            text += JSONWriter.write(value, style: .compact)
            text += "\n"
        }
        return text
    }
}

/// The output format.
enum OutputForm: String, CaseIterable, Sendable {
    /// Text for people.
    case text
    /// One JSON document.
    case json
    /// One JSON value a line.
    case jsonLines = "json-lines"
}
