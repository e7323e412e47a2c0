/// Says why a text is no schema that Cleat can take, and where in it.
package struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Names what is wrong with a schema.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the fault.
        package let description: String

        init(_ description: String) {
            self.description = description
        }

        /// A keyword is not supported; it is never ignored instead.
        package static let unsupportedKeyword = Code("unsupported_keyword")
        /// A keyword has a value that it cannot have.
        package static let invalidKeyword = Code("invalid_keyword")
        /// The schema says something that a tree of settings cannot follow.
        package static let invalidTree = Code("invalid_tree")
        /// The schema is nested too deep.
        package static let tooDeep = Code("too_deep")
    }

    /// What is wrong.
    package let code: Code
    /// The place in the schema, as the keys of a JSON pointer, for the line and the column.
    package let pointer: [String]
    /// What is wrong and what to write instead.
    package let message: String

    /// The place and the message.
    package var description: String {
        let place = pointer.map { "/" + SettingPath.escaped($0) }.joined()
        return "schema, \(place.isEmpty ? "at the top" : "at \(Excerpt.of(place))"): \(message)"
    }
}
