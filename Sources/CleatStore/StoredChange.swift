package import CleatJSON
package import CleatSettings

/// Holds the change of one leaf: what was there and what is there now.
package struct StoredChange: Sendable, Hashable {
    /// The leaf.
    package var path: SettingPath
    /// The value before; nil where there was none.
    package var old: JSONValue?
    /// The value after; nil where there is none.
    package var new: JSONValue?

    /// Takes a leaf and its two values.
    package init(path: SettingPath, old: JSONValue?, new: JSONValue?) {
        self.path = path
        self.old = old
        self.new = new
    }
}
