public import CleatJSON

/// Sets or unsets one path.
public struct Change: Hashable, Sendable {
    /// The path of the change: a setting, or a group with all settings below it.
    public let path: SettingPath

    /// The new value, or nil to unset.
    ///
    /// An object is merged into the settings below the path (RFC 7396).
    public let value: JSONValue?

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - path: the path of a setting or a group.
    ///   - value: the new value; null, as nil, means unset.
    public init(_ path: SettingPath, _ value: JSONValue?) {
        self.path = path
        self.value = value?.isNull == true ? nil : value
    }
}

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

/// Estimates the size of values for limits.
enum SettingSize {
    /// Returns the approximate bytes of a value as compact JSON, without escapes.
    static func of(_ value: JSONValue) -> Int {
        switch value {
        case .null, .bool: 4
        case .integer(let value): value.magnitude < 10_000 ? 4 : 20
        case .number: 16
        case .string(let text): text.utf8.count + 2
        case .array(let values): values.reduce(2) { $0 + of($1) + 1 }
        case .object(let object): object.reduce(2) { $0 + $1.key.utf8.count + 4 + of($1.value) }
        }
    }
}

extension [SettingDifference] {
    /// Returns the differences in the order of their paths; the program has this sort once.
    @inline(never)
    package func sortedByPath() -> [SettingDifference] { sorted { $0.path < $1.path } }
}
