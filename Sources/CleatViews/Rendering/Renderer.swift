import CleatJSON

/// Renders a view model as text in one output format.
public struct Renderer: Sendable {
    /// The output format.
    public var form: OutputForm
    /// True if styles are rendered as colours of a terminal.
    public var colour: Bool
    /// True if views show details, too.
    public var isVerbose: Bool

    /// Creates a renderer.
    public init(form: OutputForm = .text, colour: Bool = false, isVerbose: Bool = false) {
        self.form = form
        self.colour = colour
        self.isVerbose = isVerbose
    }

    /// An empty page of text.
    public var page: TextPage { TextPage(colour: colour, isVerbose: isVerbose) }

    /// Renders a view.
    public func render(_ view: some TextPresentable & JSONPresentable) -> String {
        switch form {
        case .text:
            var page = page
            view.write(to: &page)
            return page.text
        case .json:
            return JSONWriter.write(view.json, style: .pretty) + "\n"
        case .jsonLines:
            return lines(view)
        }
    }

    /// Renders one item of a stream; both JSON formats give one line for each value.
    public func renderItem(_ view: some TextPresentable & JSONPresentable) -> String {
        form == .text ? render(view) : lines(view)
    }

    private func lines(_ view: some JSONPresentable) -> String {
        var bytes: [UInt8] = []
        view.writeJSONLines(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The output format.
public enum OutputForm: String, CaseIterable, Sendable {
    /// Text for people.
    case text
    /// One JSON document.
    case json
    /// One JSON value a line.
    case jsonLines = "json-lines"
}
