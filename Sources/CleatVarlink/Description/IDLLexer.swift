/// A token of an interface description.
struct IDLToken: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// A run of letters, digits, `_`, `-` and `.`.
        case word(String)
        case open, close, colon, comma, optional, arrow
        /// `[]`
        case array
        /// `[string]`
        case dictionary
        case end
    }

    let kind: Kind
    let line: Int
    let column: Int
    /// True if only blanks precede it in its line.
    let startsLine: Bool
    /// The comment lines directly above the token's line, without their `#`.
    let documentation: String

    /// The token as error messages show it.
    var text: String {
        switch kind {
        case .word(let word): "'\(word)'"
        case .open: "'('"
        case .close: "')'"
        case .colon: "':'"
        case .comma: "','"
        case .optional: "'?'"
        case .arrow: "'->'"
        case .array: "'[]'"
        case .dictionary: "'[string]'"
        case .end: "the end"
        }
    }
}

/// Splits an interface description into tokens.
struct IDLLexer {
    private let text: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var startsLine = true

    init(_ text: [UInt8]) { self.text = text }

    /// Returns the column of an offset, counted in characters: UTF-8 continuation bytes do not count.
    private func column(at offset: Int) -> Int {
        text[lineStart..<offset].reduce(1) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }

    private var current: UInt8? { position < text.count ? text[position] : nil }

    private mutating func newLine() {
        position += 1
        line += 1
        lineStart = position
        startsLine = true
    }

    /// Reads the next token, with the comment above it.
    mutating func next() throws(IDLError) -> IDLToken {
        var comments: [String] = []
        var commentLine = 0
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\n"):
                newLine()
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                position += 1
            case UInt8(ascii: "#"):
                let ownLine = startsLine
                let comment = readComment()
                guard ownLine else { continue }
                if commentLine != line - 1 { comments = [] }
                comments.append(comment)
                commentLine = line
            default:
                let documentation = commentLine == line - 1 ? comments.joined(separator: "\n") : ""
                return try readToken(documentation)
            }
        }
        return token(.end, from: position, documentation: "")
    }

    private mutating func readComment() -> String {
        position += 1
        if current == UInt8(ascii: " ") { position += 1 }
        let start = position
        while let byte = current, byte != UInt8(ascii: "\n") { position += 1 }
        var end = position
        while end > start, text[end - 1] == UInt8(ascii: "\r") || text[end - 1] == UInt8(ascii: " ") { end -= 1 }
        return String(decoding: text[start..<end], as: UTF8.self)
    }

    private func token(_ kind: IDLToken.Kind, from start: Int, documentation: String) -> IDLToken {
        IDLToken(
            kind: kind, line: line, column: column(at: start), startsLine: startsLine, documentation: documentation)
    }

    private mutating func readToken(_ documentation: String) throws(IDLError) -> IDLToken {
        let start = position
        let kind = try readKind()
        let result = token(kind, from: start, documentation: documentation)
        startsLine = false
        return result
    }

    private mutating func readKind() throws(IDLError) -> IDLToken.Kind {
        let start = position
        let byte = text[position]
        switch byte {
        case UInt8(ascii: "("): return take(1, .open)
        case UInt8(ascii: ")"): return take(1, .close)
        case UInt8(ascii: ":"): return take(1, .colon)
        case UInt8(ascii: ","): return take(1, .comma)
        case UInt8(ascii: "?"): return take(1, .optional)
        case UInt8(ascii: "-") where starts(with: "->"): return take(2, .arrow)
        case UInt8(ascii: "[") where starts(with: "[]"): return take(2, .array)
        case UInt8(ascii: "[") where starts(with: "[string]"): return take(8, .dictionary)
        case UInt8(ascii: "["):
            throw error(at: start, "after '[' comes ']' or 'string]': only texts can be keys")
        default: break
        }
        while let byte = current, Self.isWordByte(byte), !starts(with: "->") { position += 1 }
        guard position > start else { throw error(at: start, "unexpected character '\(character(at: start))'") }
        return .word(String(decoding: text[start..<position], as: UTF8.self))
    }

    private mutating func take(_ count: Int, _ kind: IDLToken.Kind) -> IDLToken.Kind {
        position += count
        return kind
    }

    private func starts(with prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard text.count - position >= count else { return false }
        return unsafe text[position..<(position + count)].elementsEqual(
            UnsafeBufferPointer(start: prefix.utf8Start, count: count))
    }

    private func error(at offset: Int, _ message: String) -> IDLError {
        IDLError(code: .syntax, line: line, column: column(at: offset), message: message)
    }

    /// Returns the character that starts at an offset, or the byte in hexadecimal if it is a control character.
    private func character(at offset: Int) -> String {
        let rest = String(decoding: text[offset..<min(offset + 4, text.count)], as: UTF8.self)
        guard let scalar = rest.unicodeScalars.first, scalar.value >= 0x20, scalar.value != 0x7F else {
            return "\\x" + String(text[offset], radix: 16)
        }
        return String(scalar)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
