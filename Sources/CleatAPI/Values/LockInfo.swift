/// A lock that pins a path to a layer.
package struct LockInfo: Codable, Hashable, Sendable {
    /// The locked path; the lock covers all paths below it, too.
    package var path: String
    /// The highest layer that is in force there.
    package var layer: SettingLayer
    /// The file that declares it.
    package var file: String
    /// The reason that the file gives.
    package var reason: String?

    /// Creates a description.
    package init(path: String, layer: SettingLayer, file: String, reason: String? = nil) {
        self.path = path
        self.layer = layer
        self.file = file
        self.reason = reason
    }
}
