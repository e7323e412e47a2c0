/// The state of quotes, comments and substitutions in a POSIX shell script.
///
/// After text that shells interpret differently, or that cannot be followed this way, the rest is unsafe.
enum ShellText: Hashable, Sendable {
    /// At the position of a command.
    case command
    /// At the start of another word.
    case word
    /// Inside a word.
    case inWord
    /// After a backslash: the state to continue with if the backslash is followed by a line feed.
    case escapedCommand, escapedWord, escapedInWord
    /// After `$`, and after `${`.
    case dollar, brace
    /// After `[` at the start of a word.
    case bracket
    /// After `<`.
    case less
    /// After `(`.
    case parenthesis
    case single
    case double, doubleEscaped, doubleDollar, doubleBrace
    case backtick, backtickEscaped
    case comment
    /// After text that cannot be followed.
    case lost

    func after(_ byte: UInt8) -> ShellText {
        let quote = UInt8(ascii: "\"")
        let backtick = UInt8(ascii: "`")
        let backslash = UInt8(ascii: "\\")
        switch self {
        case .command, .word, .inWord, .dollar, .bracket, .less, .parenthesis: return plain(byte)
        case .escapedCommand: return byte == 10 ? .command : .inWord
        case .escapedWord: return byte == 10 ? .word : .inWord
        case .escapedInWord: return .inWord
        case .single: return byte == UInt8(ascii: "'") ? .inWord : .single
        case .double, .doubleDollar:
            switch byte {
            case quote: return .inWord
            case backslash: return .doubleEscaped
            // A substitution in double quotes has its own quotes.
            case backtick: return .lost
            case UInt8(ascii: "(") where self == .doubleDollar: return .lost
            case UInt8(ascii: "{") where self == .doubleDollar: return .doubleBrace
            case UInt8(ascii: "$"): return .doubleDollar
            default: return .double
            }
        case .doubleEscaped: return .double
        case .brace: return byte == UInt8(ascii: "}") ? .inWord : Self.isName(byte) ? .brace : .lost
        case .doubleBrace: return byte == UInt8(ascii: "}") ? .double : Self.isName(byte) ? .doubleBrace : .lost
        case .backtick:
            switch byte {
            case backtick: return .inWord
            case backslash: return .backtickEscaped
            case quote, UInt8(ascii: "'"): return .lost
            default: return .backtick
            }
        case .backtickEscaped: return .backtick
        case .comment: return byte == 10 ? .command : .comment
        case .lost: return .lost
        }
    }

    private func plain(_ byte: UInt8) -> ShellText {
        switch byte {
        case UInt8(ascii: "\\"):
            switch self {
            case .command: return .escapedCommand
            case .word: return .escapedWord
            case .inWord, .bracket: return .escapedInWord
            default: return .lost
            }
        case UInt8(ascii: "'"): return self == .dollar ? .lost : .single
        case UInt8(ascii: "\""): return self == .dollar ? .lost : .double
        case UInt8(ascii: "`"): return .backtick
        case UInt8(ascii: "$"): return .dollar
        case UInt8(ascii: "<"): return self == .less ? .lost : .less
        case UInt8(ascii: "("): return self == .parenthesis ? .lost : .parenthesis
        case UInt8(ascii: ")"): return .command
        // The shell evaluates subscripts, $[ … ] and [[ … ]] even if they are quoted.
        case UInt8(ascii: "["): return self == .command || self == .word ? .bracket : .lost
        case UInt8(ascii: "{"): return self == .dollar ? .brace : .inWord
        case UInt8(ascii: ">"): return .word
        case UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"), 10: return .command
        case UInt8(ascii: " "), UInt8(ascii: "\t"):
            return self == .command || self == .parenthesis ? .command : .word
        case UInt8(ascii: "#"):
            switch self {
            case .command, .word, .parenthesis, .less: return .comment
            default: return .inWord
            }
        default: return .inWord
        }
    }

    static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    var afterValue: ShellText {
        switch self {
        case .command, .word, .inWord: .inWord
        default: self
        }
    }

    /// True if it is in a word or at its beginning, and not between words.
    var isOfWord: Bool {
        switch self {
        case .command, .word, .escapedCommand, .escapedWord, .less, .parenthesis, .comment, .lost: false
        default: true
        }
    }

    /// True if a value is allowed here, as far as quotes are concerned.
    var takesValue: Bool { self == .word || self == .inWord }

    /// The reason why no value is allowed, as the end of a sentence that begins with “no value is allowed”.
    var refusal: String {
        switch self {
        case .command, .parenthesis:
            "at the position of a command; write it behind a name and =, or as an argument"
        case .single, .double, .doubleEscaped, .doubleDollar, .doubleBrace:
            "inside quotes of the shell; the tag writes the quotes itself, so end those before it"
        case .backtick, .backtickEscaped: "between backticks; use $( … )"
        case .comment: "in a comment of the shell; move the tag"
        case .bracket: "behind [; write a blank between them"
        case .dollar, .brace: "behind $; write the text without it"
        case .escapedCommand, .escapedWord, .escapedInWord: "behind a backslash; remove it"
        default:
            "behind a here-document, arithmetic, [[, $'…', or a substitution in quotes: the rest cannot be checked; write "
                + "these parts otherwise, or put them behind the last tag"
        }
    }
}
