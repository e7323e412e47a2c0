package import CleatSettings

/// The input for one snapshot.
package struct SnapshotRequest: Sendable {
    /// The memento of a resource, or the fact that it was omitted.
    package struct Resource: Sendable, Equatable {
        /// The resource's name.
        package var resource: String
        /// The adapter that it was captured for.
        package var adapter: String
        /// True if the memento may hold a secret.
        package var isSecret: Bool
        /// The memento; nil if it was omitted from an export.
        package var state: State?

        /// Creates an entry from its parts.
        package init(resource: String, adapter: String, isSecret: Bool, state: State?) {
            self.resource = resource
            self.adapter = adapter
            self.isSecret = isSecret
            self.state = state
        }
    }

    /// A memento, opaque.
    package struct State: Sendable, Equatable {
        /// The hash of its bytes.
        package let hash: ObjectHash
        /// The size in bytes.
        package let size: Int64
        /// The bytes; nil for an object that the store is expected to have.
        package let bytes: [UInt8]?

        /// Creates a memento from its bytes.
        package init(_ bytes: [UInt8]) {
            (hash, size, self.bytes) = (ObjectHash(of: bytes), Int64(bytes.count), bytes)
        }

        /// Creates a reference to a memento of an earlier snapshot.
        package init(storedAs hash: ObjectHash, size: Int64) {
            (self.hash, self.size, bytes) = (hash, size, nil)
        }
    }

    /// The name: 1 to 64 bytes without control characters, different from those of all other snapshots.
    package var name: String
    /// The generation of the settings; if `settings` is nil, it must be the store's last confirmed one.
    package var generation: GenerationRef
    /// The settings; nil for the confirmed ones.
    package var settings: [SnapshotSetting]?
    /// The resources and their mementos.
    package var resources: [Resource]
    /// The author of the snapshot.
    package var author: String
    /// The author's reason for it.
    package var comment: String?
    /// The time of its creation.
    package var stamp: CommitStamp
    /// The user who imports it from a file; nil if it is made on this device.
    package var importer: String?

    /// Creates a request from its parts.
    package init(
        name: String, generation: GenerationRef, settings: [SnapshotSetting]? = nil, resources: [Resource],
        author: String, comment: String? = nil, stamp: CommitStamp
    ) {
        self.name = name
        self.generation = generation
        self.settings = settings
        self.resources = resources
        self.author = author
        self.comment = comment
        self.stamp = stamp
    }
}
