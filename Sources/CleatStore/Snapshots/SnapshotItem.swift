/// A snapshot's entry for one resource.
package struct SnapshotItem: Hashable, Sendable {
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
