import CleatJSON

/// The text in the editor: the user's lines, without the messages that are inserted between them.
struct EditorText: Hashable, Sendable {
    /// The prefix of a message's line.
    static let mark = "//! "

    /// The lines without messages.
    private(set) var lines: [String]

    /// Splits a text into lines and drops the messages.
    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).filter {
            !$0.drop { $0 == " " || $0 == "\t" }.hasPrefix("//!")
        }
    }

    /// The text without messages.
    var text: String { lines.joined(separator: "\n") }

    /// True if the text consists only of blank lines and comment lines.
    var isEmpty: Bool {
        lines.allSatisfy {
            let line = $0.drop { $0.isWhitespace }
            return line.isEmpty || line.hasPrefix("//")
        }
    }

    /// Returns the text with messages, each above its line.
    func text(with problems: [SettingsDocument.Problem]) -> String {
        var before: [Int: [String]] = [:]
        for problem in problems {
            let index = min(max(0, problem.position.line - 1), lines.count)
            let indent = index < lines.count ? String(lines[index].prefix { $0 == " " || $0 == "\t" }) : ""
            let message = JSON5Writer.comment(problem.message, indentation: indent.count)
                .split(separator: "\n").map { String($0).replacing("//", with: "//!", maxReplacements: 1) }
            before[index, default: []] += message
        }
        var result: [String] = []
        for (index, line) in lines.enumerated() {
            result += before[index] ?? []
            result.append(line)
        }
        result += before[lines.count] ?? []
        return result.joined(separator: "\n")
    }
}
