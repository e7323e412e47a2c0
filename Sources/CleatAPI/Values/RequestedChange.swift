package import CleatJSON

/// A request to change one path.
package struct RequestedChange: Codable, Hashable, Sendable {
    /// The operation with the value.
    package enum Operation: String, Codable, Hashable, Sendable, CaseIterable {
        /// The path is set to the value, or unset if there is none.
        case set
        /// The value is appended to the list at the path, unless the list contains it already.
        case add
        /// The value is removed from the list at the path.
        case remove
    }

    /// The path.
    package var path: String
    /// The value; nil unsets the path.
    package var value: JSONValue?
    /// The operation with the value; nil means ``Operation/set``.
    package var operation: Operation?

    /// Creates a request.
    package init(path: String, value: JSONValue? = nil, operation: Operation? = nil) {
        self.path = path
        self.value = value
        self.operation = operation
    }
}
