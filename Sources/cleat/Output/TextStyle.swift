/// How a piece of text stands out; said by colour on a terminal, and by nothing elsewhere.
enum TextStyle: Hashable, Sendable {
    case plain, strong, faint, good, bad, name

    /// The terminal's code for it; nil for plain text.
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
