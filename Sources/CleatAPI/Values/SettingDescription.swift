package import CleatJSON

/// The description of the valid values of a path, as the schema declares it.
package struct SettingDescription: Codable, Hashable, Sendable {
    /// The path; `{name}` stands for the key of a map.
    package var path: String
    /// The JSON types that are allowed.
    package var types: [String]
    /// A short name for users.
    package var title: String?
    /// A description of its purpose.
    package var description: String?
    /// The default; nil if there is none.
    package var `default`: JSONValue?
    /// The constraints, as keywords of JSON Schema.
    package var constraints: JSONValue

    /// Creates a description.
    package init(
        path: String, types: [String], title: String? = nil, description: String? = nil, `default`: JSONValue? = nil,
        constraints: JSONValue = .object([:])
    ) {
        self.path = path
        self.types = types
        self.title = title
        self.description = description
        self.default = `default`
        self.constraints = constraints
    }
}
