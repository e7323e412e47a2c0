public import CleatJSON

/// Says how one stored setting differs between two states.
public struct SettingDifference: Hashable, Sendable {
    /// The leaf, or the map entry without leaves.
    public let path: SettingPath
    /// The value before, or nil where there was none.
    public let old: JSONValue?
    /// The value after, or nil where there is none.
    public let new: JSONValue?

    /// Makes a difference.
    public init(path: SettingPath, old: JSONValue?, new: JSONValue?) {
        self.path = path
        self.old = old
        self.new = new
    }

    /// Whether the value was written as it was: what follows it is done all the same.
    package var isRewritten: Bool { old != nil && old == new }

    /// The way back.
    public var reversed: SettingDifference {
        SettingDifference(path: path, old: new, new: old)
    }
}
