public import CleatJSON

/// The difference of one stored setting between two states.
public struct SettingDifference: Hashable, Sendable {
    /// The path of the leaf, or of the map entry without leaves.
    public let path: SettingPath
    /// The value before; nil if there was none.
    public let old: JSONValue?
    /// The value after; nil if there is none.
    public let new: JSONValue?

    /// Makes a difference.
    public init(path: SettingPath, old: JSONValue?, new: JSONValue?) {
        self.path = path
        self.old = old
        self.new = new
    }

    /// True if the same value was written again; it still counts as a change.
    package var isRewritten: Bool { old != nil && old == new }

    /// The difference that reverts this one.
    public var reversed: SettingDifference {
        SettingDifference(path: path, old: new, new: old)
    }
}
