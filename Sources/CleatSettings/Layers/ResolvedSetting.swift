package import CleatJSON

/// The value in force at a path, and the layer that it comes from.
package struct ResolvedSetting: Hashable, Sendable {
    /// The layers that a value can come from, from the lowest to the highest.
    package enum Origin: String, Codable, Hashable, Sendable, CaseIterable, Comparable {
        /// The schema's default: the path is unset.
        case schemaDefault = "schema_default"
        /// The vendor's defaults.
        case vendor
        /// The factory data, written once in production.
        case factory
        /// The committed settings.
        case committed
        /// The volatile settings, which are in force until the next boot.
        case volatile

        /// The position of the layer; 0 is the lowest.
        private var height: Int {
            switch self {
            case .schemaDefault: 0
            case .vendor: 1
            case .factory: 2
            case .committed: 3
            case .volatile: 4
            }
        }

        /// Returns true if one layer is below another.
        package static func < (left: Self, right: Self) -> Bool { left.height < right.height }
    }

    /// The path.
    package let path: SettingPath
    /// The value; nil if neither a layer nor the schema has one.
    ///
    /// At a group it is the object of all settings below it.
    package let value: JSONValue?
    /// The layer that the value comes from; at a group, the highest of those below it.
    package let origin: Origin
    /// The reason why a stored value is not in force; nil if there is no such value.
    package let inactive: SettingProblem?
    /// True if the path is a setting, not a group.
    package let isSetting: Bool
    /// True if the value is a secret that listings must not show.
    package let isSecret: Bool
    /// The highest layer that counts here by a lock; nil if there is no lock.
    package let lock: Origin?

    /// True if the board applies this value; false while it is unset, so that the system's own value remains.
    package var isInForce: Bool { origin != .schemaDefault && value != nil }
}
