package import CleatJSON

/// Describes what a path holds and where that comes from.
package struct SettingInfo: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value; nil where there is none, not even a default.
    package var value: JSONValue?
    /// What it would be with the schema's defaults where the system decides; nil where that is the value.
    ///
    /// Programs that are written against the schema read it.
    package var withDefaults: JSONValue?
    /// The layer that the value comes from.
    package var origin: SettingLayer
    /// Whether the path is managed; a mere default is not in force.
    package var inForce: Bool
    /// Why a stored value is not in force.
    package var inactive: String?
    /// Whether the setting is a secret: its value is left out unless the caller may see it and asks to.
    package var secret: Bool?
    /// The layer that a lock pins the path to; nil where it is free.
    package var lock: SettingLayer?
    /// The id of the change on trial that the value is from.
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

    /// The value as a program reads it that is written against the schema.
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
