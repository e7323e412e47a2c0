package import CleatJSON

/// Records how one path changed.
package struct ChangeRecord: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value before; nil where it was not set.
    package var old: JSONValue?
    /// The value after; nil where it is not set.
    package var new: JSONValue?
    /// What is in force at the path after the change, where another layer has it: told where the change is made, and not
    /// by history.
    package var inForce: SettingInfo?
    /// What was in force before from a lower layer, where the changed one had nothing: told as ``inForce`` is.
    package var before: SettingInfo?

    /// Creates a record.
    package init(
        path: String, old: JSONValue? = nil, new: JSONValue? = nil, inForce: SettingInfo? = nil,
        before: SettingInfo? = nil
    ) {
        self.path = path
        self.old = old
        self.new = new
        self.inForce = inForce
        self.before = before
    }

    private enum CodingKeys: String, CodingKey {
        case path
        case old
        case new
        case inForce = "in_force"
        case before
    }
}
