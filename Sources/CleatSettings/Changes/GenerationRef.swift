/// A reference to a committed state of the settings: a number within a store.
package struct GenerationRef: Codable, Hashable, Sendable {
    /// The store's id.
    package var store: String
    /// The generation's number.
    package var generation: Int64

    /// Creates a reference.
    package init(store: String, generation: Int64) {
        self.store = store
        self.generation = generation
    }
}
