/// The state in an INI file: lines of `name=value`, `[heading]` and comments that begin with `#` or `;`.
enum INIContext: ContextState {
    /// At the start of a line, after any blanks.
    case lineStart
    case comment
    case heading
    case name
    /// After `=` or `:`.
    case value
    case quoted, otherQuoted

    static let start = INIContext.lineStart

    func after(_ byte: UInt8) -> INIContext {
        if byte == 10 || byte == 13 { return .lineStart }
        switch self {
        case .lineStart:
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): return .lineStart
            case UInt8(ascii: "#"), UInt8(ascii: ";"): return .comment
            case UInt8(ascii: "["): return .heading
            case UInt8(ascii: "="), UInt8(ascii: ":"): return .value
            default: return .name
            }
        case .comment, .heading: return self
        case .name: return byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") ? .value : .name
        case .value: return byte == UInt8(ascii: "\"") ? .quoted : byte == UInt8(ascii: "'") ? .otherQuoted : .value
        case .quoted: return byte == UInt8(ascii: "\"") ? .value : .quoted
        case .otherQuoted: return byte == UInt8(ascii: "'") ? .value : .otherQuoted
        }
    }

    var afterValue: INIContext { self == .lineStart ? .name : self }

    var context: TemplateContext? {
        switch self {
        case .lineStart, .heading, .name: .iniName
        case .comment: .line
        case .value: .iniValue
        case .quoted, .otherQuoted: .iniQuoted
        }
    }

    var refusal: String { "here" }
}
