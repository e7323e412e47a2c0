/// Formats text as lines of a comment.
enum JSON5Comment {
    /// Returns the lines of a text, wrapped between words; they cannot end a comment and contain no control characters.
    static func lines(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for paragraph in paragraphs(text) {
            var line = ""
            var length = 0
            for word in paragraph.split(separator: " ") {
                let count = word.unicodeScalars.count
                if length > 0, length + 1 + count > width {
                    lines.append(line)
                    (line, length) = ("", 0)
                }
                if length > 0 {
                    line += " "
                    length += 1
                }
                line += word
                length += count
            }
            lines.append(line)
        }
        return lines
    }

    /// Splits a text at every line end of JSON5, and replaces other control and formatting characters by spaces.
    private static func paragraphs(_ text: String) -> [String] {
        var paragraphs = [""]
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0a where isAfterReturn: break
            case 0x0a, 0x0d, 0x2028, 0x2029: paragraphs.append("")
            default:
                paragraphs[paragraphs.count - 1].unicodeScalars.append(
                    scalar.value < 0x20 || isActedUpon(scalar) ? " " : scalar)
            }
            isAfterReturn = scalar.value == 0x0d
        }
        return paragraphs
    }

    /// Returns true if an editor or a terminal would interpret a scalar above 0x7e instead of showing it.
    static func isActedUpon(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x7f..<0xa0, 0x061c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff, 0xfff9...0xfffb,
            0xe0000...0xe007f:
            true
        default: false
        }
    }
}
