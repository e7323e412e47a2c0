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
