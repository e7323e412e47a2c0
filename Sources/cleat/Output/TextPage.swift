/// Collects the lines of a text.
///
/// All text is escaped here, so no view can pass a board's control characters to the terminal.
struct TextPage: Sendable {
    /// True if styles are rendered as colours.
    let colour: Bool
    /// The text so far.
    private(set) var text = ""

    init(colour: Bool) {
        self.colour = colour
    }

    /// Adds a line.
    mutating func line(_ spans: TextSpan...) {
        line(spans)
    }

    /// Adds a line.
    mutating func line(_ spans: [TextSpan]) {
        for span in spans { add(span) }
        text.append("\n")
    }

    private mutating func add(_ span: TextSpan) {
        guard colour, let code = span.style.code, !span.text.isEmpty else {
            span.text.appendPrintable(to: &text)
            return
        }
        text.append("\u{1b}[\(code)m")
        span.text.appendPrintable(to: &text)
        text.append("\u{1b}[0m")
    }
}
