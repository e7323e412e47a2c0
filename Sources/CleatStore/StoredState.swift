package import CleatAPI

/// All confirmed settings and their generation.
package struct StoredState: Sendable {
    /// The store and the number of its last confirmed generation; 0 is the empty store.
    package var generation: GenerationRef
    /// The leaves, sorted by the bytes of their paths.
    package var settings: [StoredSetting]
    /// The paths of rows that this release cannot read; they are kept as they are.
    package var unreadable: [String]
}
