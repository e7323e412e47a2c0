package import CleatJSON

/// The value of one setting in a snapshot.
package struct SnapshotSettingInfo: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value; nil if it is a secret, the export that was imported omits it, or this release cannot read it.
    package var value: JSONValue?

    /// Creates a description.
    package init(path: String, value: JSONValue? = nil) {
        self.path = path
        self.value = value
    }
}
