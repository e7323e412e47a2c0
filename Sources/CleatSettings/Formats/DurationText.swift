/// Reads and writes durations as people type them: `250ms`, `30s`, `5m`, `1h30m`, `2d`, and `90` for milliseconds.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// Reads a duration.
    ///
    /// - Parameter text: whole numbers with the units d, h, m, s, ms, each at most once, the largest first; or one
    ///   number without a unit, in milliseconds as on the wire.
    /// - Returns: the number of milliseconds, or nil if `text` is not a valid duration or too long for 64 bits.
    package static func milliseconds(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        var rest = Substring(text)
        var total: Int64 = 0
        var allowed = 0
        var first = true
        repeat {
            let digits = rest.utf8.prefix(while: ASCII.isDigit)
            guard !digits.isEmpty, let number = Int64(Substring(digits)) else { return nil }
            rest = rest[digits.endIndex...]
            let unitText = Substring(rest.utf8.prefix { ASCII.isLetter($0) })
            rest = rest[unitText.endIndex...]
            if unitText.isEmpty {
                return first && rest.isEmpty ? number : nil
            }
            guard let unit = units[allowed...].firstIndex(where: { $0.name == unitText }) else { return nil }
            let product = number.multipliedReportingOverflow(by: units[unit].milliseconds)
            let sum = total.addingReportingOverflow(product.partialValue)
            if product.overflow || sum.overflow { return nil }
            total = sum.partialValue
            allowed = unit + 1
            first = false
        } while !rest.isEmpty
        return total
    }

    /// Writes a duration in canonical form: the largest units first, without parts that are zero.
    ///
    /// - Parameter milliseconds: a number that is not negative.
    /// - Returns: a text such as `1h30m`.
    package static func text(milliseconds: Int64) -> String {
        var rest = max(milliseconds, 0)
        if rest == 0 { return "0s" }
        var result = ""
        for unit in units where rest >= unit.milliseconds {
            result += "\(rest / unit.milliseconds)\(unit.name)"
            rest %= unit.milliseconds
        }
        return result
    }
}
