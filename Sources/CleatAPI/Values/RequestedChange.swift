package import CleatJSON

/// Asks for one path to be changed.
package struct RequestedChange: Codable, Hashable, Sendable {
    /// What is done with the value.
    package enum Operation: String, Codable, Hashable, Sendable, CaseIterable {
        /// The path holds the value afterwards, or nothing where there is none.
        case set
        /// The list at the path holds the value afterwards: at its end, unless it was there already.
        case add
        /// The list at the path does not hold the value afterwards.
        case remove
    }

    /// The path.
    package var path: String
    /// The value; nil unsets the path.
    package var value: JSONValue?
    /// What is done with the value; nil means ``Operation/set``.
    package var operation: Operation?

    /// Creates a request.
    package init(path: String, value: JSONValue? = nil, operation: Operation? = nil) {
        self.path = path
        self.value = value
        self.operation = operation
    }
}
