package import CleatJSON

/// A change of one path.
package struct ChangeRecord: Codable, Hashable, Sendable {
    /// The path.
    package var path: String
    /// The value before; nil if it was not set, or is a secret.
    package var old: JSONValue?
    /// The value after; nil if it is not set, or is a secret.
    package var new: JSONValue?
    /// The value in force after the change, if it comes from another layer; only in the reply to the change, not in the
    /// history.
    package var inForce: SettingInfo?
    /// The value of a lower layer before the change, if the changed layer had none; only in the same replies as
    /// ``inForce``.
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
