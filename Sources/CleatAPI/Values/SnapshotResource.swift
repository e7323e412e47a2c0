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

    /// Creates a description.
    package init(resource: String, adapter: String, size: Int64, sha256: String? = nil, secret: Bool) {
        self.resource = resource
        self.adapter = adapter
        self.size = size
        self.sha256 = sha256
        self.secret = secret
    }
}
