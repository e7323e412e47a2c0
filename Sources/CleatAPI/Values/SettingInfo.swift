package import CleatJSON

/// The value of a path, and its origin.
package struct SettingInfo: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value; nil if there is none, the system decides, or it is an omitted secret.
    package var value: JSONValue?
    /// The value with the schema's defaults for the unset settings that the system decides; nil if it is the same.
    ///
    /// It is for programs that are written against the schema.
    package var withDefaults: JSONValue?
    /// The layer that the value comes from.
    package var origin: SettingLayer
    /// True if the path is managed; a default that is not applied to the system is not in force.
    package var inForce: Bool
    /// The reason why a stored value is not in force.
    package var inactive: String?
    /// True if the setting is a secret: its value is omitted unless the caller requests it and may read it.
    package var secret: Bool?
    /// The layer that a lock pins the path to; nil if no lock covers it.
    package var lock: SettingLayer?
    /// The id of the change on trial that has set the value; nil if there is none.
    package var pending: String?

    /// Creates a description.
    package init(
        path: String, value: JSONValue? = nil, origin: SettingLayer, inForce: Bool, inactive: String? = nil,
        secret: Bool? = nil, lock: SettingLayer? = nil, pending: String? = nil
    ) {
        self.path = path
        self.value = value
        self.origin = origin
        self.inForce = inForce
        self.inactive = inactive
        self.secret = secret
        self.lock = lock
        self.pending = pending
    }

    /// The value for programs that are written against the schema: with all defaults.
    package var complete: JSONValue? { withDefaults ?? value }

    private enum CodingKeys: String, CodingKey {
        case path
        case value
        case withDefaults = "with_defaults"
        case origin
        case inForce = "in_force"
        case inactive
        case secret
        case lock
        case pending
    }
}
