package import CleatJSON
import CleatSettings

/// Formats a value as `cleat set` accepts it.
package enum SettingText {
    /// Returns the text of a value: an unambiguous string without quotes, anything else as compact JSON.
    package static func text(of value: JSONValue) -> String {
        switch value {
        case .bool(let value): value ? "true" : "false"
        case .string(let string) where isPlain(string): string
        default: JSONWriter.write(value, style: .compact)
        }
    }

    /// Returns the text of an optional value.
    package static func text(of value: JSONValue?, missing: String) -> String {
        value.map(text(of:)) ?? missing
    }

    /// Returns true for a name in ASCII that nothing but a string begins with.
    private static func isWord(_ string: String) -> Bool {
        // true, false, null, Infinity and NaN are words of JSON5.
        guard let first = string.utf8.first, first | 0x20 >= UInt8(ascii: "a"), first | 0x20 <= UInt8(ascii: "z"),
            !"tfnIN".utf8.contains(first)
        else { return false }
        return string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// Returns true for the text of an address or a time, which begins like a number and is none: only digits come
    /// before a colon or a second point.
    private static func isAddress(_ string: String) -> Bool {
        var (points, digits, isFound) = (0, 0, false)
        for byte in string.utf8 {
            guard byte > 0x20, byte < 0x7f else { return false }
            if isFound { continue }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: "."):
                points += 1
                isFound = points == 2 && digits > 0
            case UInt8(ascii: ":"): isFound = digits > 0
            default: return false
            }
        }
        return isFound
    }

    /// Returns true if a string needs no quotes: no white space at its edges, and `cleat set` would parse it as this
    /// string.
    private static func isPlain(_ string: String) -> Bool {
        if isWord(string) || isAddress(string) { return true }
        guard let first = string.first, let last = string.last, !first.isWhitespace, !last.isWhitespace else {
            return false
        }
        return (try? SettingValueText.parse(string)) == .string(string)
    }
}
