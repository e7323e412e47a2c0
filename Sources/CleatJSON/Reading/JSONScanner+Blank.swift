extension JSONScanner {
    /// Skips white space, and comments in JSON5.
    @inline(__always)
    mutating func skipBlank() throws(JSONFailure) {
        while position < end {
            switch byte(at: position) {
            case 0x20, 0x0a, 0x0d, 0x09: position += 1
            default:
                if isJSON5 { try skipJSON5Blank() }
                return
            }
        }
    }

    /// Skips the white space of JSON5 (including Unicode's) and its comments.
    private mutating func skipJSON5Blank() throws(JSONFailure) {
        while position < end {
            switch byte(at: position) {
            case 0x09...0x0d, 0x20: position += 1
            case UInt8(ascii: "/"): try skipComment()
            case 0x80...:
                let (scalar, length) = try readScalar(at: position)
                guard Self.isJSON5Space(scalar) else { return }
                position += length
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSONFailure) {
        let start = position
        guard start + 1 < end else { throw try unexpected("found; a comment begins with // or /*") }
        switch byte(at: start + 1) {
        case UInt8(ascii: "/"):
            position += 2
            while position < end {
                let next = byte(at: position)
                if next == 0x0a || next == 0x0d { return }
                guard next >= 0x80 else {
                    position += 1
                    continue
                }
                let (scalar, length) = try readScalar(at: position)
                if scalar == "\u{2028}" || scalar == "\u{2029}" { return }
                position += length
            }
        case UInt8(ascii: "*"):
            position += 2
            while position < end {
                let next = byte(at: position)
                if next == UInt8(ascii: "*"), position + 1 < end, byte(at: position + 1) == UInt8(ascii: "/") {
                    position += 2
                    return
                }
                position += next < 0x80 ? 1 : try readScalar(at: position).length
            }
            throw JSONFailure(
                code: .unexpectedEnd, offset: start, message: "the comment is not closed: it must end with */")
        default:
            throw try unexpected("found; a comment begins with // or /*")
        }
    }

    private static func isJSON5Space(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{2028}", "\u{2029}", "\u{feff}", "\u{a0}": true
        default: scalar.properties.generalCategory == .spaceSeparator
        }
    }
}
