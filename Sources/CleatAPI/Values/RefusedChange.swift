package import CleatJSON

/// Says why one path of a change set was refused.
package struct RefusedChange: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value that was refused.
    package var value: JSONValue?
    /// The kind of violation: `unknown`, `type`, `range`, ….
    package var code: String
    /// What is wrong, and what would be right.
    package var reason: String

    /// Creates a refusal.
    package init(path: String, value: JSONValue? = nil, code: String, reason: String) {
        self.path = path
        self.value = value
        self.code = code
        self.reason = reason
    }
}
