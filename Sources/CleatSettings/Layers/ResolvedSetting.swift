package import CleatJSON

/// Says what a path holds, and which layer that comes from.
package struct ResolvedSetting: Hashable, Sendable {
    /// The layers that a value can come from, from the lowest to the highest.
    package enum Origin: String, Hashable, Sendable, CaseIterable {
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
    }

    /// The path.
    package let path: SettingPath
    /// The value; nil where neither a layer nor the schema has one.
    ///
    /// At a group it is the object of all below it.
    package let value: JSONValue?
    /// The layer that the value comes from; at a group, committed as soon as one setting below it is.
    package let origin: Origin
    /// Why the stored value is not in force, where there is one that is not.
    package let inactive: SettingProblem?
    /// Whether a setting stands here rather than a group of them.
    package let isSetting: Bool
    /// Whether the value is a secret that listings must not show.
    package let isSecret: Bool

    /// Whether the board follows this value; false where nobody set it, so that the system's own holds.
    package var isInForce: Bool { origin == .committed && value != nil }
}
