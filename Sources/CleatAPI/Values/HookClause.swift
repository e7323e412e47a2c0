/// Says of one pattern of a hook whether an event passes it.
package struct HookClause: Codable, Hashable, Sendable {
    /// What it is about: `source`, `action`, `subject`, `properties.NAME`.
    package var name: String
    /// The pattern.
    package var pattern: String
    /// What the event has there; nil where it has nothing.
    package var value: String?
    /// Whether the event passes it.
    package var matches: Bool

    /// Creates a clause.
    package init(name: String, pattern: String, value: String? = nil, matches: Bool) {
        self.name = name
        self.pattern = pattern
        self.value = value
        self.matches = matches
    }
}
