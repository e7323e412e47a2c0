import CleatJSON

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

    /// Tells whether a string can stand without quotes: it is neither empty nor could it be read as another value.
    private static func isPlain(_ string: String) -> Bool {
        guard let first = string.unicodeScalars.first, let last = string.unicodeScalars.last else { return false }
        if first == " " || last == " " || "\"'[{".unicodeScalars.contains(first) { return false }
        if string == "true" || string == "false" || string == "null" { return false }
        if first == "-" || ("0"..."9").contains(first) {
            return (try? JSONReader.read(string)) == nil
        }
        return true
    }
}
