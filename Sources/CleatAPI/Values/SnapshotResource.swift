/// The state of one resource of the system in a snapshot.
package struct SnapshotResource: Codable, Hashable, Sendable {
    /// The resource: `file:/etc/hostname`.
    package var resource: String
    /// The adapter that applies the settings to it.
    package var adapter: String
    /// The size of its captured state, in bytes.
    package var size: Int64
    /// The SHA-256 of its captured state; nil if it may hold a secret, or the export that was imported omits it.
    package var sha256: String?
    /// True if it may hold a secret.
    package var secret: Bool

    /// The permission bits of the file, as `0644`; nil if it is not a file.
    package var mode: String?
    /// The ids of the file's user and group, as `0:0`; nil if it is not a file.
    package var owner: String?
    /// True if the content differs from the one that the snapshot's settings produce; nil if that is not known, or the
    /// caller may not learn it.
    package var differs: Bool?

    /// Creates a description.
    package init(
        resource: String, adapter: String, size: Int64, sha256: String? = nil, secret: Bool, mode: String? = nil,
        owner: String? = nil, differs: Bool? = nil
    ) {
        self.resource = resource
        self.adapter = adapter
        self.size = size
        self.sha256 = sha256
        self.secret = secret
        self.mode = mode
        self.owner = owner
        self.differs = differs
    }
}
