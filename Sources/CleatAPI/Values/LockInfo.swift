/// Says what pins a path to a layer.
package struct LockInfo: Codable, Hashable, Sendable {
    /// The path that is pinned, with all below it.
    package var path: String
    /// The highest layer that counts there.
    package var layer: SettingLayer
    /// The file that says so.
    package var file: String
    /// Why, in the words of who wrote the file.
    package var reason: String?

    /// Creates a description.
    package init(path: String, layer: SettingLayer, file: String, reason: String? = nil) {
        self.path = path
        self.layer = layer
        self.file = file
        self.reason = reason
    }
}
