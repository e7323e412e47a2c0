package import CleatJSON

/// Says what a snapshot holds of one setting.
package struct SnapshotSettingInfo: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value; nil for a secret, and where it was left out of the export that the snapshot came from.
    package var value: JSONValue?

    /// Creates a description.
    package init(path: String, value: JSONValue? = nil) {
        self.path = path
        self.value = value
    }
}
