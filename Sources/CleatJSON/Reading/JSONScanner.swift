/// A failure inside the parser with its byte offset; line and column are only counted when it leaves the parser.
struct JSONFailure: Error {
    var code: JSONError.Code
    var offset: Int
    var message: String
    /// True if the document ended too early; the parser names the container that is not closed.
    var isEnd = false
}

/// Reads the tokens of one document: white space and comments, words, numbers, strings and keys.
///
/// It must not outlive the bytes; every offset is compared with their number before the byte is read.
@safe struct JSONScanner: ~Copyable {
    let bytes: UnsafeRawBufferPointer
    let end: Int
    let isJSON5: Bool
    let limits: JSONLimits
    var position = 0
    /// The decoded bytes of a string with escapes.
    var scratch: [UInt8] = []

    init(_ bytes: UnsafeRawBufferPointer, dialect: JSONDialect, limits: JSONLimits) {
        unsafe self.bytes = bytes
        self.end = bytes.count
        self.isJSON5 = dialect == .json5
        self.limits = limits
    }

    /// Returns the byte at an offset that the caller has compared with `end`.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        unsafe bytes[offset]
    }

    /// Moves past a word if it is at the position.
    mutating func takeWord(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard end - position >= length else { return false }
        for index in 0..<length {
            guard unsafe bytes[position + index] == word.utf8Start[index] else { return false }
        }
        // A longer word is not this word.
        if position + length < end, Self.isWordByte(byte(at: position + length)) { return false }
        position += length
        return true
    }

    /// Moves past the list or object at the position; only its brackets and its strings are read.
    mutating func skipContainer() throws(JSONFailure) {
        var depth = 0
        while position < end {
            switch byte(at: position) {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "\""):
                position += 1
                skipPlainText(UInt8(ascii: "\""))
                while position < end, byte(at: position) != UInt8(ascii: "\"") {
                    position += byte(at: position) == UInt8(ascii: "\\") ? 2 : 1
                    if position < end { skipPlainText(UInt8(ascii: "\"")) }
                }
            default: break
            }
            position += 1
            if depth == 0 { return }
        }
        position = min(position, end)
        throw endOfDocument("a closing bracket")
    }

    /// Returns the line and column of a byte.
    func place(of offset: Int) -> JSONPosition {
        var counter = JSONLineCounter()
        unsafe counter.advance(to: offset, in: bytes)
        return counter.position
    }

    /// Decodes the scalar at an offset before the end; refuses overlong forms, surrogates and scalars above U+10FFFF.
    func readScalar(at offset: Int) throws(JSONFailure) -> (scalar: Unicode.Scalar, length: Int) {
        let lead = byte(at: offset)
        let length: Int
        var low: UInt8 = 0x80
        var high: UInt8 = 0xbf
        switch lead {
        case 0x00...0x7f: return (Unicode.Scalar(lead), 1)
        case 0xc2...0xdf: length = 2
        case 0xe0...0xef:
            length = 3
            if lead == 0xe0 { low = 0xa0 }
            if lead == 0xed { high = 0x9f }
        case 0xf0...0xf4:
            length = 4
            if lead == 0xf0 { low = 0x90 }
            if lead == 0xf4 { high = 0x8f }
        default: throw invalidText(at: offset)
        }
        guard end - offset >= length, (low...high).contains(byte(at: offset + 1)) else { throw invalidText(at: offset) }
        var value = UInt32(lead) & (0x7f >> UInt32(length))
        value = value << 6 | UInt32(byte(at: offset + 1) & 0x3f)
        for index in 2..<max(length, 2) {
            let next = byte(at: offset + index)
            guard next & 0xc0 == 0x80 else { throw invalidText(at: offset) }
            value = value << 6 | UInt32(next & 0x3f)
        }
        guard let scalar = Unicode.Scalar(value) else { throw invalidText(at: offset) }
        return (scalar, length)
    }

    private func invalidText(at offset: Int) -> JSONFailure {
        JSONFailure(
            code: .invalidText, offset: offset,
            message: "the byte 0x\(String(byte(at: offset), radix: 16)) is not valid UTF-8 here: save the text as UTF-8"
        )
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }

    /// Returns the failure for the text at the position, or for the document's end.
    func unexpected(_ words: String) throws(JSONFailure) -> JSONFailure {
        guard position < end else { return endOfDocument("more") }
        let next = byte(at: position)
        var hint = ""
        if !isJSON5 {
            if next == UInt8(ascii: "/") { hint = " (only JSON5 allows comments)" }
            if next == UInt8(ascii: "'") { hint = " (only JSON5 allows single quotes)" }
        }
        let what = next < 0x80 ? describe(next) : describe(try readScalar(at: position).scalar)
        return JSONFailure(code: .syntax, offset: position, message: "\(what) \(words)\(hint)")
    }

    /// Returns the failure if a value is expected; a word is quoted whole, up to 40 bytes.
    func unexpectedValue() throws(JSONFailure) -> JSONFailure {
        var wordEnd = position
        while wordEnd < end, wordEnd - position < 40, Self.isWordByte(byte(at: wordEnd)) { wordEnd += 1 }
        guard wordEnd > position + 1 else { return try unexpected("found, expected a value") }
        let word = unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[position..<wordEnd]), as: UTF8.self)
        return JSONFailure(
            code: .syntax, offset: position,
            message: "'\(word)' is not a value: expected an object, array, string, number, true, false or null")
    }

    func describe(_ byte: UInt8) -> String {
        describe(Unicode.Scalar(byte))
    }

    private func describe(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n", "\r": "a line break"
        case "\t": "a tab"
        case "\u{0}"..<"\u{20}", "\u{7f}"..<"\u{a1}", "\u{2028}", "\u{2029}", "\u{feff}":
            "the character U+\(String(scalar.value, radix: 16, uppercase: true))"
        default: "'\(scalar)'"
        }
    }

    /// Returns the failure of a document that ends too early.
    func endOfDocument(_ expected: String) -> JSONFailure {
        let message = position == 0 ? "the document is empty" : "the document ends, expected \(expected)"
        return JSONFailure(code: .unexpectedEnd, offset: position, message: message, isEnd: true)
    }
}
