/// A value with comments, to be written as JSON5 for people.
package struct JSON5Document: Sendable {
    /// What stands between the braces of an object.
    package enum Item: Sendable {
        /// Text of its own, such as the name of what is left out.
        case comment(String)
        /// A member, with the comment that stands above it.
        case member(comment: String?, key: String, value: Node)
        /// A member that is only shown: it stands in a comment.
        case shown(comment: String?, key: String, value: JSONValue)
    }

    /// A value.
    package indirect enum Node: Sendable {
        /// A value without comments inside.
        case value(JSONValue)
        /// An object with comments inside.
        case object([Item])
    }

    /// What stands above the value.
    package var comment: String?
    /// The value.
    package var root: Node

    /// Makes a document.
    package init(comment: String? = nil, root: Node) {
        self.comment = comment
        self.root = root
    }
}
