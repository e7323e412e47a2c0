package import CleatJSON
import CleatOrder
internal import CleatSettings

/// An error in the rules of a schema file, and its position there.
package struct ApplyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The position in the file, as the keys of a JSON pointer.
    package let pointer: [String]
    /// The line and the column in the file.
    package internal(set) var position: JSONPosition?
    /// The error and the correct form.
    package let message: String

    /// The position and the message.
    package var description: String { (position.map { "\($0): " } ?? "") + message }
}

/// All errors in the rules of a schema file, in the order of its text.
package struct ApplyErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of errors that are reported.
    static let maximumCount = 64

    /// The schema file.
    package let file: String
    /// The errors, never empty.
    package let problems: [ApplyError]

    /// Locates the errors in the file's text.
    init(_ problems: [ApplyError], file: String, in bytes: [UInt8], dialect: JSONDialect) {
        self.file = file
        var problems = Array(problems.prefix(Self.maximumCount))
        if let locations = try? JSONReader.locate(
            problems.map(\.pointer), in: bytes, dialect: dialect, limits: SchemaText.limits)
        {
            for index in problems.indices where problems[index].position == nil {
                problems[index].position = locations.nearestPosition(to: problems[index].pointer)
            }
        }
        problems = problems.ordered { left, right in
            guard let left = left.position, let right = right.position else { return false }
            return (left.line, left.column) < (right.line, right.column)
        }
        self.problems = problems
    }

    /// The errors, one a line, in the format of compilers.
    package var description: String {
        problems.map { problem in
            let place = problem.position.map { ":\($0.line):\($0.column)" } ?? ""
            return "\(file)\(place): \(problem.message)"
        }.joined(separator: "\n")
    }
}
