/// Collects the lines of a text.
///
/// All text is escaped here, so no view can pass a board's control characters to the terminal.
public struct TextPage: Sendable {
    /// True if styles are rendered as colours.
    public let colour: Bool
    /// True if details are shown, too.
    public let isVerbose: Bool
    /// The UTF-8 of the text so far.
    package private(set) var bytes: [UInt8] = []

    /// The text so far.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Creates an empty page.
    public init(colour: Bool = false, isVerbose: Bool = false) {
        self.colour = colour
        self.isVerbose = isVerbose
    }

    /// Adds a line.
    public mutating func line(_ spans: TextSpan...) {
        line(spans)
    }

    /// Adds a line.
    public mutating func line(_ spans: [TextSpan]) {
        for span in spans { add(span) }
        endLine()
    }

    /// Adds a piece of a line.
    mutating func add(_ span: TextSpan) {
        guard colour, let code = span.style.code, !span.text.isEmpty else {
            span.text.appendPrintable(to: &bytes)
            return
        }
        bytes.append(contentsOf: "\u{1b}[\(code)m".utf8)
        span.text.appendPrintable(to: &bytes)
        bytes.append(contentsOf: "\u{1b}[0m".utf8)
    }

    /// Adds spaces.
    mutating func add(spaces count: Int) {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count))
    }

    /// Ends a line.
    mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }
}

/// A piece of a line: unescaped text, and its style.
public struct TextSpan: Hashable, Sendable {
    /// The text, not escaped.
    public var text: String
    /// The style of the whole text.
    public var style: TextStyle

    /// Creates a piece of a line.
    public init(_ text: String, _ style: TextStyle = .plain) {
        self.text = text
        self.style = style
    }
}

/// The style of a piece of text; rendered as a colour on a terminal, and ignored elsewhere.
public enum TextStyle: Hashable, Sendable {
    /// Text without emphasis.
    case plain
    /// A heading, or a state that needs attention.
    case strong
    /// A detail, a default, or a note.
    case faint
    /// A success.
    case good
    /// A failure.
    case bad
    /// The name of an object, such as the path of a setting.
    case name

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
