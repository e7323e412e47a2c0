/// The events that a hook runs on: globs, all of which must match.
package struct HookMatch: Codable, Hashable, Sendable {
    /// The source; nil for all.
    package var source: String?
    /// A glob on the action.
    package var action: String?
    /// A glob on the subject.
    package var subject: String?
    /// Globs on properties; sorted by key on the wire.
    package var properties: [String: String]

    /// Creates a match.
    package init(
        source: String? = nil, action: String? = nil, subject: String? = nil, properties: [String: String] = [:]
    ) {
        self.source = source
        self.action = action
        self.subject = subject
        self.properties = properties
    }

    private enum CodingKeys: String, CodingKey {
        case source
        case action
        case subject
        case properties
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(source, forKey: .source)
        try container.encodeIfPresent(action, forKey: .action)
        try container.encodeIfPresent(subject, forKey: .subject)
        try container.encodeSorted(properties, forKey: .properties)
    }
}
