package import CleatJSON
package import CleatSettings

/// Holds one committed leaf and where it came from.
package struct StoredSetting: Sendable, Hashable {
    /// The leaf.
    package var path: SettingPath
    /// Its value.
    package var value: JSONValue
    /// The generation that set it.
    package var generation: Int64
    /// Who set it; nil where the history no longer says.
    package var author: String?

    /// Takes a leaf's value and origin.
    package init(path: SettingPath, value: JSONValue, generation: Int64, author: String?) {
        self.path = path
        self.value = value
        self.generation = generation
        self.author = author
    }
}
