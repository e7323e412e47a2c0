package import CleatJSON

/// Describes what a path holds and where that comes from.
package struct SettingInfo: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value; nil where there is none, not even a default.
    package var value: JSONValue?
    /// The layer that the value comes from.
    package var origin: Origin
    /// Whether the path is managed; a mere default is not in force.
    package var inForce: Bool
    /// Why a stored value is not in force.
    package var inactive: String?

    /// Creates a description.
    package init(
        path: String, value: JSONValue? = nil, origin: Origin, inForce: Bool, inactive: String? = nil
    ) {
        self.path = path
        self.value = value
        self.origin = origin
        self.inForce = inForce
        self.inactive = inactive
    }

    private enum CodingKeys: String, CodingKey {
        case path
        case value
        case origin
        case inForce = "in_force"
        case inactive
    }

    /// The layer that a value comes from.
    package enum Origin: String, Codable, Hashable, Sendable, CaseIterable {
        /// The default of the schema.
        case schemaDefault = "schema_default"
        /// A committed generation.
        case committed
    }
}
