package import CleatJSON

/// Records how one path changed.
package struct ChangeRecord: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value before; nil where it was not set.
    package var old: JSONValue?
    /// The value after; nil where it is not set.
    package var new: JSONValue?

    /// Creates a record.
    package init(path: String, old: JSONValue? = nil, new: JSONValue? = nil) {
        self.path = path
        self.old = old
        self.new = new
    }
}
