/// A value with comments, to be written as JSON5 for people.
package struct JSON5Document: Sendable {
    /// The contents of an object between its braces.
    package enum Item: Sendable {
        /// A comment of its own, such as the name of an omitted member.
        case comment(String)
        /// A member, with the comment above it.
        case member(comment: String?, key: String, value: Node)
        /// A member that is only shown: it is commented out.
        case shown(comment: String?, key: String, value: JSONValue)
    }

    /// A value.
    package indirect enum Node: Sendable {
        /// A value without comments inside.
        case value(JSONValue)
        /// An object with comments inside.
        case object([Item])
    }

    /// The comment above the value.
    package var comment: String?
    /// The value.
    package var root: Node

    /// Makes a document.
    package init(comment: String? = nil, root: Node) {
        self.comment = comment
        self.root = root
    }
}
