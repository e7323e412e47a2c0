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
