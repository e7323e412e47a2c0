/// One setting of a snapshot, as in the store.
package struct SnapshotSetting: Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value as canonical JSON; nil if it was omitted from the export that the snapshot was imported from.
    package var value: String?

    /// Creates a setting from a path and a value.
    package init(path: String, value: String?) {
        self.path = path
        self.value = value
    }
}
