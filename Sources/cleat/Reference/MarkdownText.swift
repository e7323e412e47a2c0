import CleatViews

/// Escapes texts for Markdown, so that they stay plain text: CommonMark and GitHub's extensions.
enum MarkdownText {
    /// The characters that can start markup: a mark, a link, an entity, a tag, a formula or a cell.
    private static let marks: Set<Character> = ["\\", "`", "*", "_", "[", "]", "<", ">", "&", "|", "~", "#", "$", "!"]

    /// Returns a text on one line, with all markup escaped.
    static func plain(_ text: String) -> String {
        var result = ""
        for character in oneLine(text) {
            if marks.contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// Returns a text as a code span on one line.
    static func code(_ text: String) -> String {
        let text = oneLine(text)
        if text.isEmpty { return "(empty)" }
        var longest = 0
        var run = 0
        for character in text {
            run = character == "`" ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        // A Markdown reader removes one space at both edges, so one is added where the text has its own.
        let isPadded = text.hasPrefix("`") || text.hasSuffix("`") || text.hasPrefix(" ") || text.hasSuffix(" ")
        return isPadded ? "\(fence) \(text) \(fence)" : fence + text + fence
    }

    private static func oneLine(_ text: String) -> String {
        var result = ""
        var wasSpace = false
        for scalar in text.unicodeScalars {
            let isSpace = scalar == "\n" || scalar == "\r" || scalar == "\t" || scalar == " "
            if isSpace {
                if !wasSpace { result += " " }
            } else {
                String(scalar).appendPrintable(to: &result)
            }
            wasSpace = isSpace
        }
        return result
    }
}

extension ConstraintText.Markup {
    /// Markdown.
    static let markdown = Self(plain: MarkdownText.plain, code: MarkdownText.code)
}
