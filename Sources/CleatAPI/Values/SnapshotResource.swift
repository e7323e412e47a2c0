/// Says what a snapshot holds of one resource of the system.
package struct SnapshotResource: Codable, Hashable, Sendable {
    /// The resource: `file:/etc/hostname`.
    package var resource: String
    /// The adapter that it follows the settings by.
    package var adapter: String
    /// The bytes that what it was takes.
    package var size: Int64
    /// The SHA-256 of that; nil where it may hold a secret, or was left out of the export that the snapshot came from.
    package var sha256: String?
    /// Whether it may hold a secret.
    package var secret: Bool

    /// The permission bits of the file, as `0644`; nil where it is none.
    package var mode: String?
    /// The numbers of the file's user and group, as `0:0`; nil where it is none.
    package var owner: String?
    /// Whether the content is not what the settings of the snapshot give; nil where that cannot be told.
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
