/// Pins a path, and all below it, to a layer: what higher layers hold does not count there.
package struct SettingLock: Sendable, Hashable {
    /// The path; nil is the whole tree.
    package var path: SettingPath?
    /// The highest layer that counts.
    package var layer: ResolvedSetting.Origin
    /// The file that says so.
    package var file: String
    /// Why, in the words of who wrote the file.
    package var reason: String?

    /// Pins a path.
    package init(path: SettingPath?, layer: ResolvedSetting.Origin, file: String, reason: String? = nil) {
        self.path = path
        self.layer = layer
        self.file = file
        self.reason = reason
    }
}
