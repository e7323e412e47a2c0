/// Describes a group of settings, or a map of them, as the schema declares it.
package struct GroupDescription: Codable, Hashable, Sendable {
    /// The path; `{name}` stands for the key of a map.
    package var path: String
    /// A short name for people.
    package var title: String?
    /// What it is for.
    package var description: String?

    /// Creates a description.
    package init(path: String, title: String? = nil, description: String? = nil) {
        self.path = path
        self.title = title
        self.description = description
    }
}
