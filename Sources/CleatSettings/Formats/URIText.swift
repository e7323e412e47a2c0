/// Checks texts against the grammar of RFC 3986.
enum URIText {
    static func isURI(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, ASCII.isLetter(bytes[0]),
            bytes[..<colon].allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || isOne($0, of: "+-.") })
        else { return false }
        return isRest(bytes[(colon + 1)...])
    }

    /// Returns true if a text is a URI or a relative reference.
    static func isReference(_ text: String) -> Bool {
        if isURI(text) { return true }
        let bytes = Array(text.utf8)
        // Text before a colon in the first segment of the path would be a scheme.
        let first = bytes.prefix { !isOne($0, of: "/?#") }
        return !first.contains(UInt8(ascii: ":")) && isRest(bytes[...])
    }

    /// Returns true if the text after the scheme is well-formed: authority, path, query, fragment.
    private static func isRest(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            guard isMadeOf(rest[(hash + 1)...], alsoAllowing: ":@/?") else { return false }
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            guard isMadeOf(rest[(mark + 1)...], alsoAllowing: ":@/?") else { return false }
            rest = rest[..<mark]
        }
        guard rest.starts(with: "//".utf8) else { return isMadeOf(rest, alsoAllowing: ":@/") }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        return isAuthority(rest[..<end]) && isMadeOf(rest[end...], alsoAllowing: ":@/")
    }

    private static func isAuthority(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            guard isMadeOf(rest[..<at], alsoAllowing: ":") else { return false }
            rest = rest[(at + 1)...]
        }
        if rest.first == UInt8(ascii: "[") {
            guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let literal = rest[(rest.startIndex + 1)..<close]
            let port = rest[(close + 1)...]
            return isLiteral(literal)
                && (port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(ASCII.isDigit))
        }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            guard rest[(colon + 1)...].allSatisfy(ASCII.isDigit) else { return false }
            rest = rest[..<colon]
        }
        return isMadeOf(rest, alsoAllowing: "")
    }

    /// Returns true if an address in brackets is an IPv6 address or of a future version: `v7.x`.
    private static func isLiteral(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first | 0x20 == UInt8(ascii: "v") else {
            return InternetAddress.v6(parsing: String(decoding: bytes, as: UTF8.self)[...]) != nil
        }
        guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return false }
        let version = bytes[(bytes.startIndex + 1)..<dot]
        let rest = bytes[(dot + 1)...]
        return !version.isEmpty && version.allSatisfy(ASCII.isHexadecimal) && !rest.isEmpty
            && !rest.contains(UInt8(ascii: "%")) && isMadeOf(rest, alsoAllowing: ":")
    }

    /// Returns true if all bytes are unreserved characters, sub-delimiters, percent escapes or one of the `others`.
    private static func isMadeOf(_ bytes: ArraySlice<UInt8>, alsoAllowing others: String) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex, ASCII.isHexadecimal(bytes[index + 1]),
                    ASCII.isHexadecimal(bytes[index + 2])
                else { return false }
                index += 3
                continue
            }
            guard
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || isOne(byte, of: "-._~!$&'()*+,;=")
                    || isOne(byte, of: others)
            else { return false }
            index += 1
        }
        return true
    }

    private static func isOne(_ byte: UInt8, of text: String) -> Bool {
        text.utf8.contains(byte)
    }
}
