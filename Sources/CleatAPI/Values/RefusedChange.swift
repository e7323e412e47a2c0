package import CleatJSON

/// The reason why one path of a change set was refused.
package struct RefusedChange: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The refused value.
    package var value: JSONValue?
    /// The kind of violation: `unknown`, `type`, `range`, ….
    package var code: String
    /// The reason, and what would be valid.
    package var reason: String

    /// Creates a refusal.
    package init(path: String, value: JSONValue? = nil, code: String, reason: String) {
        self.path = path
        self.value = value
        self.code = code
        self.reason = reason
    }
}
