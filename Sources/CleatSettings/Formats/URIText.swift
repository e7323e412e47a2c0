/// Checks texts against the grammar of RFC 3986 for a URI: a scheme, then the rest.
enum URIText {
    static func isURI(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, ASCII.isLetter(bytes[0]),
            bytes[..<colon].allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || isOne($0, of: "+-.") })
        else { return false }
        var rest = bytes[(colon + 1)...]
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
            let literal = String(decoding: rest[(rest.startIndex + 1)..<close], as: UTF8.self)
            let port = rest[(close + 1)...]
            return InternetAddress.v6(parsing: literal[...]) != nil
                && (port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(ASCII.isDigit))
        }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            guard rest[(colon + 1)...].allSatisfy(ASCII.isDigit) else { return false }
            rest = rest[..<colon]
        }
        return isMadeOf(rest, alsoAllowing: "")
    }

    /// Unreserved characters, sub-delimiters, percent escapes, and what is allowed here besides.
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
