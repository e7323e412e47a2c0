package import CleatJSON

/// Asks for one path to be set or unset.
package struct RequestedChange: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value; nil unsets the path.
    package var value: JSONValue?

    /// Creates a request.
    package init(path: String, value: JSONValue? = nil) {
        self.path = path
        self.value = value
    }
}
