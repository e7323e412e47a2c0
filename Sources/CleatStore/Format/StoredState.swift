package import CleatJSON
package import CleatSettings

/// All confirmed settings and their generation.
package struct StoredState: Sendable {
    /// The store and the number of its last confirmed generation; 0 is the empty store.
    package var generation: GenerationRef
    /// The leaves, sorted by the bytes of their paths.
    package var settings: [StoredSetting]
    /// The paths of rows that this release cannot read; they are kept as they are.
    package var unreadable: [String]
}

/// One committed leaf and its origin in the history.
package struct StoredSetting: Sendable, Equatable {
    /// The leaf.
    package var path: SettingPath
    /// Its value.
    package var value: JSONValue
    /// The generation that set it.
    package var generation: Int64
    /// The author who set it; nil if the history no longer has that generation.
    package var author: String?

    /// Creates a setting from a leaf's path, its value and its origin.
    package init(path: SettingPath, value: JSONValue, generation: Int64, author: String?) {
        self.path = path
        self.value = value
        self.generation = generation
        self.author = author
    }
}
