import CleatJSON
import CleatSettings

/// Shows a value in the form in which `cleat set` takes it.
enum SettingText {
    /// The text of a value: strings bare where nothing else could be meant, all else as compact JSON.
    static func text(of value: JSONValue) -> String {
        switch value {
        case .string(let string) where isPlain(string): string
        default: JSONWriter.write(value, style: .compact)
        }
    }

    /// The text of a value that may be missing.
    static func text(of value: JSONValue?, missing: String) -> String {
        value.map(text(of:)) ?? missing
    }

    /// Tells whether a string can stand without quotes: an edge of it can be seen, and it reads as nothing else.
    private static func isPlain(_ string: String) -> Bool {
        guard let first = string.first, let last = string.last, !first.isWhitespace, !last.isWhitespace else {
            return false
        }
        return (try? SettingValueText.parse(string)) == .string(string)
    }
}
