package import CleatSettings

/// The description of one snapshot.
package struct StoredSnapshot: Equatable, Sendable {
    /// The name.
    package var name: String
    /// The generation of its settings; of another store if it was imported.
    package var generation: GenerationRef
    /// The time of its creation.
    package var stamp: CommitStamp
    /// The author of the snapshot.
    package var author: String
    /// The user who imported it from a file; nil if it was made on this device.
    package var importer: String?
    /// The author's reason for it.
    package var comment: String?
    /// The number of its settings.
    package var settings: Int
    /// The number of its resources.
    package var resources: Int
    /// The size of all its objects in bytes.
    package var bytes: Int64
    /// The size in bytes of its objects that no other snapshot holds.
    package var ownBytes: Int64
    /// The damage of its record or pages, as a sentence; nil if there is none.
    package var damage: String?
}

/// The outcome of the creation of a snapshot; in a box, as its description is large.
package indirect enum SnapshotOutcome: Equatable, Sendable {
    /// The snapshot is stored.
    case made(StoredSnapshot)
    /// Nothing is stored, since the store lacks these objects, to which the request only refers.
    case lacking([ObjectHash])

    /// The snapshot; nil if nothing is stored.
    package var snapshot: StoredSnapshot? {
        if case .made(let snapshot) = self { snapshot } else { nil }
    }
}

extension StoredSnapshot {
    /// Describes a record whose objects have these sizes.
    init(_ record: SnapshotRecord, bytes: Int64, ownBytes: Int64, damage: String? = nil) {
        self.init(
            name: record.name, generation: record.generation, stamp: record.stamp, author: record.author,
            importer: record.importer, comment: record.comment, settings: record.settings, resources: record.resources,
            bytes: bytes,
            ownBytes: ownBytes, damage: damage)
    }
}
