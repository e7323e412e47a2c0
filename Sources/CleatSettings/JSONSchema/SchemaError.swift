package import CleatJSON

/// One fault that makes a text not a valid schema for Cleat, and its place.
package struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault in a schema.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the fault.
        package let description: String

        init(_ description: String) {
            self.description = description
        }

        /// The text is not valid JSON.
        package static let invalidText = Code("invalid_text")
        /// A keyword is not supported; it is never ignored instead.
        package static let unsupportedKeyword = Code("unsupported_keyword")
        /// A keyword has an invalid value.
        package static let invalidKeyword = Code("invalid_keyword")
        /// A reference has no target, leaves the schema, or is circular.
        package static let invalidReference = Code("invalid_reference")
        /// The schema has a rule that is not possible for a tree of settings.
        package static let invalidTree = Code("invalid_tree")
        /// The schema is nested too deep.
        package static let tooDeep = Code("too_deep")
        /// The schema is too large.
        package static let tooLarge = Code("too_large")
        /// Two schemas define one path.
        package static let conflict = Code("conflict")
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
