extension JSONParser {
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
            message: "the byte 0x\(String(byte(at: offset), radix: 16)) is no valid UTF-8 here: save the text as UTF-8")
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

    /// Reads an unquoted key: an ES5 identifier name.
    mutating func readIdentifier() throws(JSONFailure) -> String {
        let start = position
        var name = ""
        while position < end {
            let next = byte(at: position)
            if next < 0x80, next != UInt8(ascii: "\\") {
                guard Self.isWordByte(next), position > start || !Self.isDigit(next) else { break }
                name.unicodeScalars.append(Unicode.Scalar(next))
                position += 1
                continue
            }
            let at = position
            let scalar: Unicode.Scalar
            if next == UInt8(ascii: "\\") {
                guard position + 1 < end, byte(at: position + 1) == UInt8(ascii: "u") else { break }
                position += 2
                scalar = try readUnicodeEscape(start: at)
            } else {
                let (decoded, length) = try readScalar(at: position)
                scalar = decoded
                position += length
            }
            guard Self.isIdentifierPart(scalar, first: at == start) else {
                position = at
                break
            }
            name.unicodeScalars.append(scalar)
        }
        guard position > start else { throw try unexpected("where a key must stand") }
        guard name.utf8.count <= limits.stringBytes else {
            throw JSONFailure(
                code: .stringTooLong, offset: start,
                message: "a key is too long; at most \(limits.stringBytes) bytes are allowed")
        }
        return name
    }

    private static func isIdentifierPart(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
        if scalar == "$" || scalar == "_" { return true }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber:
            return true
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: return !first
        default: return !first && (scalar == "\u{200c}" || scalar == "\u{200d}")
        }
    }

    /// Returns the failure for the text at the position, or for the document's end.
    func unexpected(_ place: String) throws(JSONFailure) -> JSONFailure {
        guard position < end else { return endOfDocument("more") }
        let next = byte(at: position)
        var hint = ""
        if !isJSON5 {
            if next == UInt8(ascii: "/") { hint = " (only JSON5 allows comments)" }
            if next == UInt8(ascii: "'") { hint = " (only JSON5 allows single quotes)" }
        }
        let what = next < 0x80 ? describe(next) : describe(try readScalar(at: position).scalar)
        return JSONFailure(code: .syntax, offset: position, message: "\(what) \(place)\(hint)")
    }

    /// Returns the failure if a value is expected; a word is quoted whole, up to 40 bytes.
    func unexpectedValue() throws(JSONFailure) -> JSONFailure {
        var wordEnd = position
        while wordEnd < end, wordEnd - position < 40, Self.isWordByte(byte(at: wordEnd)) { wordEnd += 1 }
        guard wordEnd > position + 1 else { return try unexpected("where a value must stand") }
        let word = unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[position..<wordEnd]), as: UTF8.self)
        return JSONFailure(
            code: .syntax, offset: position,
            message: "'\(word)' is no value: expected an object, array, string, number, true, false or null")
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

    /// Returns a key for a message, as JSON and shortened if it is long.
    func quoted(_ key: String) -> String {
        JSONWriter.write(.string(key.utf8.count > 200 ? String(key.unicodeScalars.prefix(60)) + "…" : key))
    }
}
