/// One pattern of a hook, and its result for an event.
package struct HookClause: Codable, Hashable, Sendable {
    /// The member of the event: `source`, `action`, `subject`, `properties.NAME`.
    package var name: String
    /// The pattern.
    package var pattern: String
    /// The event's value of the member; nil if it has none.
    package var value: String?
    /// True if the event matches the pattern.
    package var matches: Bool

    /// Creates a clause.
    package init(name: String, pattern: String, value: String? = nil, matches: Bool) {
        self.name = name
        self.pattern = pattern
        self.value = value
        self.matches = matches
    }
}
