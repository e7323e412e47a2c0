/// Shortens untrusted texts for errors: printable, on one line, bounded.
enum Excerpt {
    static let maximumCharacters = 64

    static func of(_ text: String) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == maximumCharacters {
                result.append("…")
                break
            }
            count += 1
            if scalar.properties.generalCategory == .control {
                result.append("\\u{")
                result.append(String(scalar.value, radix: 16))
                result.append("}")
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
