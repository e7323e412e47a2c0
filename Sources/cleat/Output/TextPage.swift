/// Collects the lines of a text.
///
/// Whatever a view writes is escaped here, so no view can let a board's text reach the terminal's control.
struct TextPage: Sendable {
    /// Whether styles become colours.
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
