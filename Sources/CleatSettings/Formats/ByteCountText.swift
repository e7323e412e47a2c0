/// Reads and writes sizes as people type them: `5MiB`, `10kB`, `512B`, `512`.
package enum ByteCountText {
    private static let binary: [(name: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
    ]
    private static let decimal: [(name: String, bytes: Int64)] = [
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("B", 1),
    ]

    /// Reads a size.
    ///
    /// - Parameter text: a whole number with one of the units B, kB, MB, GB, TB (powers of 1,000), KiB, MiB, GiB, TiB
    ///   (powers of 1,024), or without a unit in bytes.
    /// - Returns: the number of bytes, or nil if `text` is not a valid size or too large for 64 bits.
    package static func bytes(_ text: String) -> Int64? {
        guard text.utf8.count <= 32 else { return nil }
        let digits = text.utf8.prefix(while: ASCII.isDigit)
        guard !digits.isEmpty, let number = Int64(Substring(digits)) else { return nil }
        let unitText = text[digits.endIndex...]
        if unitText.isEmpty { return number }
        guard let unit = (binary + decimal).first(where: { $0.name == unitText }) else { return nil }
        let product = number.multipliedReportingOverflow(by: unit.bytes)
        return product.overflow ? nil : product.partialValue
    }

    /// Writes a size in canonical form: with the largest unit that gives a whole number, powers of 1,024 first.
    ///
    /// - Parameter bytes: a number that is not negative.
    /// - Returns: a text such as `5MiB`.
    package static func text(bytes: Int64) -> String {
        let bytes = max(bytes, 0)
        for unit in binary + decimal where bytes != 0 && bytes % unit.bytes == 0 {
            return "\(bytes / unit.bytes)\(unit.name)"
        }
        return "0B"
    }
}
