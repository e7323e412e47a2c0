extension JSONScanner {
    /// Reads the quoted string at the position.
    mutating func readString() throws(JSONFailure) -> String {
        let start = position
        let quote = byte(at: start)
        position += 1
        var runStart = position
        var escaped = false
        while true {
            skipPlainText(quote)
            guard position < end else {
                throw JSONFailure(
                    code: .unexpectedEnd, offset: start,
                    message: "the document ends inside a string that begins here: close it with a quote")
            }
            let next = byte(at: position)
            if next == quote {
                break
            } else if next == UInt8(ascii: "\\") {
                if !escaped {
                    escaped = true
                    scratch.removeAll(keepingCapacity: true)
                }
                unsafe scratch.append(contentsOf: bytes[runStart..<position])
                try readEscape()
                runStart = position
                try checkLength(scratch.count, start: start)
            } else if next >= 0x80 {
                position += try readScalar(at: position).length
            } else if next < 0x20 {
                guard isJSON5, next != 0x0a, next != 0x0d else {
                    throw JSONFailure(
                        code: .syntax, offset: position,
                        message: "\(describe(next)) inside a string: write it as an escape such as \\n or \\u0000")
                }
                position += 1
            } else {
                position += 1
            }
        }
        let run = unsafe UnsafeRawBufferPointer(rebasing: bytes[runStart..<position])
        position += 1
        if escaped {
            unsafe scratch.append(contentsOf: run)
            try checkLength(scratch.count, start: start)
            return String(decoding: scratch, as: UTF8.self)
        }
        try checkLength(run.count, start: start)
        return unsafe String(decoding: run, as: UTF8.self)
    }

    private func checkLength(_ length: Int, start: Int) throws(JSONFailure) {
        guard length <= limits.stringBytes else {
            throw JSONFailure(
                code: .stringTooLong, offset: start,
                message: "a string is too long; at most \(limits.stringBytes) bytes are allowed")
        }
    }

    /// Advances, eight bytes at a time, to the first byte that is not plain ASCII text.
    @inline(__always)
    mutating func skipPlainText(_ quote: UInt8) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let quotes = ones &* UInt64(quote)
        let backslashes = ones &* 0x5c
        while end - position >= 8 {
            let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quoted = word ^ quotes
            let slashed = word ^ backslashes
            let found =
                (word | (word &- ones &* 0x20)) & highs
                | (quoted &- ones) & ~quoted & highs
                | (slashed &- ones) & ~slashed & highs
            if found != 0 {
                // Carries only reach the bytes above the first one that is found.
                position += found.trailingZeroBitCount / 8
                return
            }
            position += 8
        }
        while position < end {
            let next = byte(at: position)
            guard next >= 0x20, next < 0x80, next != quote, next != 0x5c else { return }
            position += 1
        }
    }

    /// Reads the escape at the position into the scratch buffer.
    private mutating func readEscape() throws(JSONFailure) {
        let start = position
        guard start + 1 < end else {
            position = end
            return  // the caller sees the end of the document
        }
        let kind = byte(at: start + 1)
        position += 2
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(kind)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0c)
        case UInt8(ascii: "n"): scratch.append(0x0a)
        case UInt8(ascii: "r"): scratch.append(0x0d)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"): append(try readUnicodeEscape(start: start))
        default:
            guard isJSON5 else {
                throw JSONFailure(
                    code: .syntax, offset: start,
                    message: "an unknown escape: \\ must be followed by one of \" \\ / b f n r t u")
            }
            try readJSON5Escape(kind, start: start)
        }
    }

    private mutating func readJSON5Escape(_ kind: UInt8, start: Int) throws(JSONFailure) {
        switch kind {
        case UInt8(ascii: "v"): scratch.append(0x0b)
        case UInt8(ascii: "x"):
            guard let value = takeHex(2), let scalar = Unicode.Scalar(value) else {
                throw JSONFailure(
                    code: .syntax, offset: start, message: "\\x must be followed by two hexadecimal digits")
            }
            append(scalar)
        case UInt8(ascii: "0"):
            if position < end, Self.isDigit(byte(at: position)) { fallthrough }
            scratch.append(0)
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            throw JSONFailure(code: .syntax, offset: start, message: "a decimal escape: write it as \\x or \\u")
        case 0x0d:
            if position < end, byte(at: position) == 0x0a { position += 1 }
        case 0x0a:
            break
        case 0x80...:
            let (scalar, length) = try readScalar(at: start + 1)
            position = start + 1 + length
            if scalar != "\u{2028}" && scalar != "\u{2029}" { append(scalar) }
        default:
            scratch.append(kind)
        }
    }

    /// Reads the digits after `\u`, and the second half of a surrogate pair if one is needed.
    mutating func readUnicodeEscape(start: Int) throws(JSONFailure) -> Unicode.Scalar {
        guard let first = takeHex(4) else {
            throw JSONFailure(code: .syntax, offset: start, message: "\\u must be followed by four hexadecimal digits")
        }
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xdc00, end - position >= 2, byte(at: position) == UInt8(ascii: "\\"),
            byte(at: position + 1) == UInt8(ascii: "u")
        {
            position += 2
            if let second = takeHex(4), (0xdc00...0xdfff).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            {
                return scalar
            }
        }
        throw JSONFailure(
            code: .invalidText, offset: start,
            message: "an escape of half a surrogate pair: write both halves or the character itself")
    }

    /// Reads exactly `count` hexadecimal digits; returns nil if there are fewer.
    private mutating func takeHex(_ count: Int) -> UInt32? {
        guard end - position >= count else { return nil }
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = Self.hexDigit(byte(at: position)) else { return nil }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if let encoded = UTF8.encode(scalar) { scratch.append(contentsOf: encoded) }
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
        guard position > start else { throw try unexpected("found, expected a key") }
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
}
