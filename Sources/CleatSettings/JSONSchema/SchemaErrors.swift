import CleatJSON

/// All faults of one schema.
package struct SchemaErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The most problems that are reported.
    static let maximumCount = 64

    /// The problems in the order in which they were found; never empty.
    package internal(set) var problems: [SchemaError]
    /// The file that the schema was read from.
    package internal(set) var file: String?

    init(_ problems: [SchemaError], file: String? = nil) {
        self.problems = problems
        self.file = file
    }

    /// One line a problem: the file, the line and the column if they are known, the place and the message.
    package var description: String {
        problems.map { problem in
            guard let position = problem.position else { return file.map { "\($0): \(problem)" } ?? "\(problem)" }
            return "\(file ?? "schema"):\(position.line):\(position.column): \(problem)"
        }.joined(separator: "\n")
    }
}
