/// Says what a snapshot holds of one resource.
package struct SnapshotItem: Hashable, Sendable {
    /// The resource's name.
    package var resource: String
    /// The adapter that it was captured for.
    package var adapter: String
    /// Whether what it was may hold a secret.
    package var isSecret: Bool
    /// The bytes of the memento.
    package var size: Int64
    /// The memento's hash; nil where it was left out of the export that the snapshot came from.
    package var hash: ObjectHash?

    /// Takes all of it.
    package init(resource: String, adapter: String, isSecret: Bool, size: Int64, hash: ObjectHash?) {
        self.resource = resource
        self.adapter = adapter
        self.isSecret = isSecret
        self.size = size
        self.hash = hash
    }
}
