package import CleatAPI
public import CleatJSON
import CleatSettings

/// The reasons why a value cannot be stored.
///
/// The text has one line for each reason: those that `cleat set` prints.
public struct RefusedValue: Error, Hashable, Sendable {
    /// One reason.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The path of the setting.
        public let path: String
        /// The refused value; nil for a secret, and if it is too long to repeat.
        public let value: JSONValue?
        /// The broken rule: `type`, `range`, …; see ``/CleatSettings/SettingProblem/Code``.
        public let code: String
        /// The value that was found and the allowed ones, worded to follow the path.
        public let reason: String

        /// Creates a reason from its form on the wire.
        package init(_ refused: RefusedChange) {
            path = refused.path
            value = refused.value
            code = refused.code
            reason = refused.reason
        }

        /// The path and the reason, with all characters escaped that a terminal would interpret.
        public var description: String { text.printable }

        var text: String { "\(path): \(reason)" }
    }

    /// The reasons; never empty.
    public let problems: [Problem]

    init(_ problems: [SettingProblem]) {
        self.problems = problems.map { problem in
            Problem(
                .init(
                    path: problem.path.text, value: problem.value, code: problem.code.description,
                    reason: problem.reason))
        }
    }

    /// Creates the refusal of a text or a value that the schema was not asked about.
    init(_ path: String, _ code: String, _ reason: String) {
        problems = [Problem(.init(path: path, code: code, reason: reason))]
    }
}

extension RefusedValue: CustomStringConvertible, TextPresentable, JSONPresentable {
    /// The reasons, one a line, with all characters escaped that a terminal would interpret.
    public var description: String { problems.map(\.description).joined(separator: "\n") }

    /// Writes the reasons, one a line.
    public func write(to page: inout TextPage) {
        for problem in problems { page.line(TextSpan(problem.text, .bad)) }
    }

    /// An object with the list of the reasons.
    public var json: JSONValue { ["problems": .array(jsonLines)] }

    /// The reasons, each as an object with the members `path`, `value`, `code` and `reason`.
    public var jsonLines: [JSONValue] {
        problems.map { problem in
            var object: JSONObject = ["path": .string(problem.path)]
            object["value"] = problem.value
            object["code"] = .string(problem.code)
            object["reason"] = .string(problem.reason)
            return .object(object)
        }
    }
}
