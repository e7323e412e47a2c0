/// The content of a snapshot, without the mementos themselves.
package struct SnapshotContent: Hashable, Sendable {
    /// The snapshot.
    package var snapshot: StoredSnapshot
    /// The settings, sorted by the bytes of their paths.
    package var settings: [SnapshotSetting]
    /// The resources, sorted by the bytes of their names.
    package var resources: [SnapshotItem]
}
