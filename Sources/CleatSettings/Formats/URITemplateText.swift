/// Checks texts against the grammar of URI templates (RFC 6570, section 2).
enum URITemplateText {
    static func isTemplate(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "{"):
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")), isExpression(rest[..<end]) else { return false }
                rest = rest[rest.index(after: end)...]
            case UInt8(ascii: "%"):
                guard rest.prefix(2).count == 2, rest.prefix(2).allSatisfy(ASCII.isHexadecimal) else { return false }
            case 0...0x20, 0x7F, UInt8(ascii: "}"): return false
            default: if "\"<>\\^`|".utf8.contains(byte) { return false }
            }
        }
        return true
    }

    private static func isExpression(_ text: Substring.UTF8View) -> Bool {
        var text = text
        if let first = text.first, "+#./;?&=,!@|".utf8.contains(first) { text = text.dropFirst() }
        return text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).allSatisfy(isVariable)
    }

    private static func isVariable(_ text: Substring.UTF8View) -> Bool {
        var name = text
        if name.last == UInt8(ascii: "*") {
            name = name.dropLast()
        } else if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
            let length = name[name.index(after: colon)...]
            guard (1...4).contains(length.count), length.allSatisfy(ASCII.isDigit), length.first != UInt8(ascii: "0")
            else { return false }
            name = name[..<colon]
        }
        return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            var rest = part
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "%") {
                    guard rest.prefix(2).count == 2, rest.prefix(2).allSatisfy(ASCII.isHexadecimal) else {
                        return false
                    }
                    rest = rest.dropFirst(2)
                } else if !ASCII.isLetter(byte), !ASCII.isDigit(byte), byte != UInt8(ascii: "_") {
                    return false
                }
            }
            return !part.isEmpty
        }
    }
}
