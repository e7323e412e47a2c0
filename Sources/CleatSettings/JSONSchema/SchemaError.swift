package import CleatJSON

/// One fault that makes a text not a valid schema for Cleat, and its place.
package struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault in a schema.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// The text is not valid JSON.
        case invalidText = "invalid_text"
        /// A keyword is not supported; it is never ignored instead.
        case unsupportedKeyword = "unsupported_keyword"
        /// A keyword has an invalid value.
        case invalidKeyword = "invalid_keyword"
        /// A reference has no target, leaves the schema, or is circular.
        case invalidReference = "invalid_reference"
        /// The schema has a rule that is not possible for a tree of settings.
        case invalidTree = "invalid_tree"
        /// The schema is nested too deep.
        case tooDeep = "too_deep"
        /// The schema is too large.
        case tooLarge = "too_large"
        /// Two schemas define one path.
        case conflict

        /// The name of the fault.
        package var description: String { rawValue }
    }

    /// The kind of fault.
    package let code: Code
    /// The place in the schema, as the keys of a JSON pointer.
    package let pointer: [String]
    /// The keyword at fault; nil if there is none.
    package let keyword: String?
    /// The line and the column, if the schema was read from a text.
    package internal(set) var position: JSONPosition?
    /// The fault and the remedy.
    package let message: String

    init(
        code: Code, pointer: [String], keyword: String? = nil, position: JSONPosition? = nil, message: String
    ) {
        self.code = code
        self.pointer = pointer
        self.keyword = keyword
        self.position = position
        self.message = message
    }

    /// The place and the message.
    package var description: String {
        let place = pointer.map { "/" + SettingPath.escaped($0) }.joined()
        return "schema, \(place.isEmpty ? "at the top" : "at \(Excerpt.of(place))"): \(message)"
    }
}

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
