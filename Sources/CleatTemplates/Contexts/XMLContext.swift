/// The state in an XML document.
enum XMLContext: ContextState {
    case text
    /// After `<`.
    case open
    /// In a tag, outside of quotes.
    case tag
    case attribute, otherAttribute
    /// After `<!`, and after `<!-`.
    case bang, bangDash
    case comment, commentDash, commentDashes
    case declaration, declarationQuote, declarationOtherQuote
    case instruction, instructionEnd
    case lost

    static let start = XMLContext.text

    func after(_ byte: UInt8) -> XMLContext {
        let quote = UInt8(ascii: "\"")
        let otherQuote = UInt8(ascii: "'")
        let end = UInt8(ascii: ">")
        let dash = UInt8(ascii: "-")
        switch self {
        case .text: return byte == UInt8(ascii: "<") ? .open : .text
        case .open, .tag:
            if self == .open, byte == UInt8(ascii: "!") { return .bang }
            if self == .open, byte == UInt8(ascii: "?") { return .instruction }
            return byte == end ? .text : byte == quote ? .attribute : byte == otherQuote ? .otherAttribute : .tag
        case .attribute: return byte == quote ? .tag : .attribute
        case .otherAttribute: return byte == otherQuote ? .tag : .otherAttribute
        case .bang: return byte == dash ? .bangDash : byte == UInt8(ascii: "[") ? .lost : declaration(byte)
        case .bangDash: return byte == dash ? .comment : .lost
        case .comment: return byte == dash ? .commentDash : .comment
        case .commentDash: return byte == dash ? .commentDashes : .comment
        case .commentDashes: return byte == end ? .text : byte == dash ? .commentDashes : .comment
        case .declaration: return declaration(byte)
        case .declarationQuote: return byte == quote ? .declaration : .declarationQuote
        case .declarationOtherQuote: return byte == otherQuote ? .declaration : .declarationOtherQuote
        case .instruction: return byte == UInt8(ascii: "?") ? .instructionEnd : .instruction
        case .instructionEnd:
            return byte == end ? .text : byte == UInt8(ascii: "?") ? .instructionEnd : .instruction
        case .lost: return .lost
        }
    }

    private func declaration(_ byte: UInt8) -> XMLContext {
        switch byte {
        case UInt8(ascii: ">"): .text
        case UInt8(ascii: "["): .lost
        case UInt8(ascii: "\""): .declarationQuote
        case UInt8(ascii: "'"): .declarationOtherQuote
        default: .declaration
        }
    }

    var afterValue: XMLContext { self }

    var context: TemplateContext? {
        switch self {
        case .text, .attribute, .otherAttribute: .xml
        default: nil
        }
    }

    var refusal: String {
        switch self {
        case .open, .tag: "inside a tag of XML outside of quotes; put quotes around it, as in name=\"{{…}}\""
        case .lost: "behind “<![”; what follows it cannot be checked, so write the text without CDATA and without DTD"
        default: "in a comment, a declaration or an instruction of XML; move the tag"
        }
    }
}
