package import CleatJSON
import CleatOrder
package import CleatSettings

/// An error in a template, and its position there.
package struct TemplateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line and the column in the template, from 1.
    package let position: JSONPosition
    /// The error and the correct form.
    package let message: String

    /// Creates an error.
    package init(_ position: JSONPosition, _ message: String) {
        self.position = position
        self.message = message
    }

    /// The position and the message.
    package var description: String { "\(position): \(message)" }
}

/// All errors in one template, in the order of its text.
package struct TemplateErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errors, never empty, at most ``TemplateLimits/problems``.
    package let problems: [TemplateError]

    init(_ problems: [TemplateError]) {
        let sorted = problems.ordered {
            ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
        }
        self.problems = Array(sorted.prefix(TemplateLimits.problems))
    }

    /// The errors, one a line.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The reason why a template cannot be rendered with the present settings.
package struct TemplateProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting with the invalid value, or the list for an element of one; nil if there is no single setting.
    package let path: SettingPath?
    /// The position of the tag in the template, from 1.
    package let position: JSONPosition
    /// A sentence that continues after the path, with the remedy; it does not repeat the value.
    package let reason: String

    /// The path, the reason and the position.
    package var description: String {
        "\(path.map { "\($0) " } ?? "")\(reason) (template, \(position))"
    }
}
