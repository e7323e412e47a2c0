/// The content of a snapshot, without the mementos themselves.
package struct SnapshotContent: Equatable, Sendable {
    /// The snapshot.
    package var snapshot: StoredSnapshot
    /// The settings, sorted by the bytes of their paths.
    package var settings: [SnapshotSetting]
    /// The resources, sorted by the bytes of their names.
    package var resources: [SnapshotItem]
}

/// A snapshot's entry for one resource.
package struct SnapshotItem: Equatable, Sendable {
    /// The resource's name.
    package var resource: String
    /// The adapter that it was captured for.
    package var adapter: String
    /// True if the memento may hold a secret.
    package var isSecret: Bool
    /// The size of the memento in bytes.
    package var size: Int64
    /// The memento's hash; nil if it was omitted from the export that the snapshot was imported from.
    package var hash: ObjectHash?

    /// Creates an entry from its parts.
    package init(resource: String, adapter: String, isSecret: Bool, size: Int64, hash: ObjectHash?) {
        self.resource = resource
        self.adapter = adapter
        self.isSecret = isSecret
        self.size = size
        self.hash = hash
    }
}

/// One setting of a snapshot, as in the store.
package struct SnapshotSetting: Equatable, Sendable {
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
