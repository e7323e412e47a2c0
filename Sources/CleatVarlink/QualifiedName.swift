/// The name of a method or an error, split at its last dot.
struct QualifiedName: Sendable, Hashable {
    let interface: String
    let member: String

    /// Splits a name; nil if a part is missing.
    init?(_ text: String) {
        guard let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let after = text.utf8.index(after: dot)
        guard dot > text.utf8.startIndex, after < text.utf8.endIndex else { return nil }
        interface = String(text[..<dot])
        member = String(text[after...])
    }
}
