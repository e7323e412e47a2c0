/// Follows JSON, and JSON with comments.
enum JSONPlace: PlaceState {
    case value
    case string, stringEscape
    case otherString, otherStringEscape
    case slash
    case lineComment
    case comment, commentStar

    static let start = JSONPlace.value

    func after(_ byte: UInt8) -> JSONPlace {
        switch self {
        case .value, .slash:
            switch byte {
            case UInt8(ascii: "\""): .string
            case UInt8(ascii: "'"): .otherString
            case UInt8(ascii: "/"): self == .slash ? .lineComment : .slash
            case UInt8(ascii: "*") where self == .slash: .comment
            default: .value
            }
        case .string:
            byte == UInt8(ascii: "\"") ? .value : byte == UInt8(ascii: "\\") ? .stringEscape : .string
        case .stringEscape: .string
        case .otherString:
            byte == UInt8(ascii: "'") ? .value : byte == UInt8(ascii: "\\") ? .otherStringEscape : .otherString
        case .otherStringEscape: .otherString
        case .lineComment: byte == 10 || byte == 13 ? .value : .lineComment
        case .comment: byte == UInt8(ascii: "*") ? .commentStar : .comment
        case .commentStar: byte == UInt8(ascii: "/") ? .value : byte == UInt8(ascii: "*") ? .commentStar : .comment
        }
    }

    var afterValue: JSONPlace { self == .slash ? .value : self }

    var place: TemplatePlace? { self == .value ? .json : nil }

    var refusal: String {
        switch self {
        case .string, .stringEscape, .otherString, .otherStringEscape:
            "inside quotes of JSON; the tag writes the quotes itself, so take those around it away"
        default: "in a comment or behind a slash; move the tag"
        }
    }
}
