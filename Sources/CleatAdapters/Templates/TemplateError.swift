package import CleatJSON

/// Says one thing that is wrong with a template, and where in it.
package struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line and the column in the template, from 1.
    package let position: JSONPosition
    /// What is wrong and what to write instead.
    package let message: String

    /// Takes both.
    package init(_ position: JSONPosition, _ message: String) {
        self.position = position
        self.message = message
    }

    /// The place and the message.
    package var description: String { "\(position): \(message)" }
}

/// Says all that is wrong with one template, in the order of its text.
package struct TemplateErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, never empty, at most ``TemplateLimits/problems``.
    package let problems: [TemplateError]

    init(_ problems: [TemplateError]) {
        let sorted = problems.sorted {
            ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
        }
        self.problems = Array(sorted.prefix(TemplateLimits.problems))
    }

    /// One line a problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
