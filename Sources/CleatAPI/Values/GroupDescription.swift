/// The description of a group of settings, or of a map of them, as the schema declares it.
package struct GroupDescription: Codable, Hashable, Sendable {
    /// The path; `{name}` stands for the key of a map.
    package var path: String
    /// A short name for users.
    package var title: String?
    /// A description of its purpose.
    package var description: String?

    /// Creates a description.
    package init(path: String, title: String? = nil, description: String? = nil) {
        self.path = path
        self.title = title
        self.description = description
    }
}
