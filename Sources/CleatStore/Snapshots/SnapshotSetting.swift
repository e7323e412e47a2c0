/// Holds one setting of a snapshot as the store has it.
package struct SnapshotSetting: Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value as canonical JSON; nil where it was left out of the export that the snapshot came from.
    package var value: String?

    /// Takes a path and a value.
    package init(path: String, value: String?) {
        self.path = path
        self.value = value
    }
}
