package import CleatAPI

/// Holds what one snapshot is made of.
package struct SnapshotRequest: Sendable {
    /// What a resource was, or that it was left out.
    package struct Resource: Sendable, Hashable {
        /// The resource's name.
        package var resource: String
        /// The adapter that it was captured for.
        package var adapter: String
        /// Whether what it was may hold a secret.
        package var isSecret: Bool
        /// The memento, opaque; nil where it was left out of an export.
        package var state: [UInt8]?

        /// Takes a resource and what it was.
        package init(resource: String, adapter: String, isSecret: Bool, state: [UInt8]?) {
            self.resource = resource
            self.adapter = adapter
            self.isSecret = isSecret
            self.state = state
        }
    }

    /// The name: 1 to 64 bytes, without control characters, unlike that of any other snapshot.
    package var name: String
    /// The generation that the settings are of; where it is the store's own last one and `settings` is nil, it is what
    /// must be confirmed.
    package var generation: GenerationRef
    /// The settings; nil for those that are confirmed.
    package var settings: [SnapshotSetting]?
    /// What the resources were.
    package var resources: [Resource]
    /// Who makes it.
    package var author: String
    /// Why.
    package var comment: String?
    /// When it was made.
    package var stamp: CommitStamp
    /// Who takes it in from a file; nil where it is made here.
    package var importer: String?

    /// Takes all of it.
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
