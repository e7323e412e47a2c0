package import CleatJSON

/// Says what a path holds, and which layer that comes from.
package struct ResolvedSetting: Hashable, Sendable {
    /// The layers that a value can come from, from the lowest to the highest.
    package enum Origin: String, Codable, Hashable, Sendable, CaseIterable, Comparable {
        /// The schema's default: nobody has set the path.
        case schemaDefault = "schema_default"
        /// The vendor's defaults.
        case vendor
        /// What was written once in production.
        case factory
        /// A generation that was committed.
        case committed
        /// Until the next boot.
        case volatile

        /// Where the layer lies: 0 is the lowest.
        private var height: Int {
            switch self {
            case .schemaDefault: 0
            case .vendor: 1
            case .factory: 2
            case .committed: 3
            case .volatile: 4
            }
        }

        /// Whether one layer lies below another.
        package static func < (left: Self, right: Self) -> Bool { left.height < right.height }
    }

    /// The path.
    package let path: SettingPath
    /// The value; nil where neither a layer nor the schema has one.
    ///
    /// At a group it is the object of all below it.
    package let value: JSONValue?
    /// The layer that the value comes from; at a group, the highest of those below it.
    package let origin: Origin
    /// Why the stored value is not in force, where there is one that is not.
    package let inactive: SettingProblem?
    /// Whether a setting stands here rather than a group of them.
    package let isSetting: Bool
    /// Whether the value is a secret that listings must not show.
    package let isSecret: Bool
    /// The highest layer that counts here; nil where no lock says so.
    package let lock: Origin?

    /// Whether the board follows this value; false where nobody set it, so that the system's own holds.
    package var isInForce: Bool { origin != .schemaDefault && value != nil }
}
