/// Collects the lines of a text.
///
/// All text is escaped here, so no view can pass a board's control characters to the terminal.
struct TextPage: Sendable {
    /// True if styles are rendered as colours.
    let colour: Bool
    /// True if details are shown, too.
    let isVerbose: Bool
    /// The text so far.
    private(set) var text = ""

    init(colour: Bool, isVerbose: Bool = false) {
        self.colour = colour
        self.isVerbose = isVerbose
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

/// A piece of a line: unescaped text, and its style.
struct TextSpan: Hashable, Sendable {
    var text: String
    var style: TextStyle

    init(_ text: String, _ style: TextStyle = .plain) {
        self.text = text
        self.style = style
    }
}

/// The style of a piece of text; rendered as a colour on a terminal, and ignored elsewhere.
enum TextStyle: Hashable, Sendable {
    case plain, strong, faint, good, bad, name

    /// The terminal's SGR code; nil for plain text.
    var code: String? {
        switch self {
        case .plain: nil
        case .strong: "1"
        case .faint: "2"
        case .good: "32"
        case .bad: "31"
        case .name: "36"
        }
    }
}
