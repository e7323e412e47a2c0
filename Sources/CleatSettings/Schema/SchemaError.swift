package import CleatJSON

/// Says one thing that makes a text no schema that Cleat can take, and where in it.
package struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Names what is wrong with a schema.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the fault.
        package let description: String

        init(_ description: String) {
            self.description = description
        }

        /// The text is no JSON.
        package static let invalidText = Code("invalid_text")
        /// A keyword is not supported; it is never ignored instead.
        package static let unsupportedKeyword = Code("unsupported_keyword")
        /// A keyword has a value that it cannot have.
        package static let invalidKeyword = Code("invalid_keyword")
        /// A reference leads nowhere, out of the schema, or in a circle.
        package static let invalidReference = Code("invalid_reference")
        /// The schema says something that a tree of settings cannot follow.
        package static let invalidTree = Code("invalid_tree")
        /// The schema is nested too deep.
        package static let tooDeep = Code("too_deep")
        /// The schema is too large.
        package static let tooLarge = Code("too_large")
        /// Two schemas define one path.
        package static let conflict = Code("conflict")
    }

    /// What is wrong.
    package let code: Code
    /// The place in the schema, as the keys of a JSON pointer.
    package let pointer: [String]
    /// The keyword that is at fault; nil where none is.
    package let keyword: String?
    /// The line and the column, where the schema was read from a text.
    package internal(set) var position: JSONPosition?
    /// What is wrong and what to write instead.
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
