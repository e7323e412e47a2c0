import CleatJSON

/// Turns a view model into the text of one output form; it knows only what a view can be.
struct Renderer: Sendable {
    var form: OutputForm
    var colour = false

    /// Renders a view.
    func render(_ view: some TextPresentable & JSONPresentable) -> String {
        switch form {
        case .text:
            var page = TextPage(colour: colour)
            view.write(to: &page)
            return page.text
        case .json:
            return JSONWriter.write(view.json, style: .pretty) + "\n"
        case .jsonLines:
            return lines(view.jsonLines)
        }
    }

    /// Renders one item of a stream: both JSON forms give one line.
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
