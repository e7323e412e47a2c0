/// Checks texts against the grammar of a mailbox (RFC 5321, section 4.1.2).
enum MailText {
    static func isAddress(_ text: String) -> Bool {
        guard text.utf8.count <= 320, let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let local = text[..<at]
        let domain = text[text.utf8.index(after: at)...]
        guard (1...64).contains(local.utf8.count), isLocal(local) else { return false }
        if domain.utf8.first == UInt8(ascii: "[") {
            guard domain.utf8.last == UInt8(ascii: "]"), domain.utf8.count > 2 else { return false }
            let literal = domain.dropFirst().dropLast()
            if literal.utf8.starts(with: "IPv6:".utf8) {
                return InternetAddress.v6(parsing: literal.dropFirst(5)) != nil
            }
            return InternetAddress.v4(parsing: literal) != nil
        }
        return DomainName.isValid(String(domain), maximumBytes: 253)
    }

    private static func isLocal(_ text: Substring) -> Bool {
        if text.utf8.first == UInt8(ascii: "\"") {
            guard text.utf8.count >= 2, text.utf8.last == UInt8(ascii: "\"") else { return false }
            var isEscaped = false
            for byte in text.utf8.dropFirst().dropLast() {
                guard (0x20...0x7E).contains(byte) else { return false }
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    return false
                }
            }
            return !isEscaped
        }
        return text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty
                && atom.allSatisfy { byte in
                    ASCII.isLetter(byte) || ASCII.isDigit(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
                }
        }
    }
}
