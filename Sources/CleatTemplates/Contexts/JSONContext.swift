/// The state in JSON, also with comments: it tracks quotes, comments and the names of members.
struct JSONContext: ContextState {
    private var text = JSONText.value
    /// A bit for each open bracket, 1 for an object, the innermost in the lowest bit; beyond 64 the outermost are lost.
    private var objects: UInt64 = 0
    /// True after the colon of a member, before its value.
    private var isMember = false

    static let start = JSONContext()

    func after(_ byte: UInt8) -> JSONContext {
        var next = self
        next.text = text.after(byte)
        guard text == .value, next.text != .slash else { return next }
        switch byte {
        case UInt8(ascii: "{"): (next.objects, next.isMember) = (objects << 1 | 1, false)
        case UInt8(ascii: "["): (next.objects, next.isMember) = (objects << 1, false)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): (next.objects, next.isMember) = (objects >> 1, false)
        case UInt8(ascii: ":"): next.isMember = true
        case 9, 10, 13, 32: break
        default: next.isMember = false
        }
        return next
    }

    var afterValue: JSONContext {
        var next = self
        if text == .slash { next.text = .value }
        next.isMember = false
        return next
    }

    var context: TemplateContext? {
        guard text == .value else { return nil }
        return objects & 1 == 1 && !isMember ? .jsonName : .json
    }

    var refusal: String { text.refusal }
}

/// The state of quotes and comments in JSON.
enum JSONText: Hashable, Sendable {
    case value
    case string, stringEscape
    case otherString, otherStringEscape
    case slash
    case lineComment
    case comment, commentStar

    func after(_ byte: UInt8) -> JSONText {
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

    var refusal: String {
        switch self {
        case .string, .stringEscape, .otherString, .otherStringEscape:
            "inside quotes of JSON; the tag writes the quotes itself, so remove those around it"
        default: "in a comment or behind a slash; move the tag"
        }
    }
}
