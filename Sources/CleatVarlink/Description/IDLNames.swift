/// The rules for names in an interface description.
enum IDLNames {
    /// Returns true if a name is valid for an interface: a reversed domain name.
    ///
    /// It has at most 255 bytes and at least two parts of letters, digits and inner hyphens; the first part begins with
    /// a letter.
    static func isInterface(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard bytes.count <= 255, let first = bytes.first, isLetter(first) else { return false }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return false }
        return parts.allSatisfy { part in
            guard let first = part.first, let last = part.last, first != hyphen, last != hyphen else { return false }
            return part.allSatisfy { isLetter($0) || isDigit($0) || $0 == hyphen }
        }
    }

    /// Returns true if a name is valid for a type, a method or an error: a capital letter, then letters and digits, at
    /// most 255 bytes.
    static func isMember(_ name: String) -> Bool {
        guard let first = name.utf8.first, isCapital(first), name.utf8.count <= 255 else { return false }
        return name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    /// Returns true if a name is valid for a field or a member of an enumeration: a letter, then letters, digits and
    /// single inner `_`, at most 255 bytes.
    static func isField(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first), name.utf8.count <= 255 else { return false }
        var underscore = false
        for byte in name.utf8 {
            if byte == UInt8(ascii: "_") {
                if underscore { return false }
                underscore = true
            } else {
                guard isLetter(byte) || isDigit(byte) else { return false }
                underscore = false
            }
        }
        return !underscore
    }

    private static let hyphen = UInt8(ascii: "-")
    private static func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    private static func isLetter(_ byte: UInt8) -> Bool {
        isCapital(byte) || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
