public import CleatJSON

/// Sets or unsets one path.
public struct Change: Hashable, Sendable {
    /// What is changed: a setting, or all that stand below a path.
    public let path: SettingPath

    /// The new value, or nil to unset.
    ///
    /// An object is merged into what stands below the path (RFC 7396).
    public let value: JSONValue?

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - path: what is changed.
    ///   - value: the new value; null, as nil, means unset.
    public init(_ path: SettingPath, _ value: JSONValue?) {
        self.path = path
        self.value = value?.isNull == true ? nil : value
    }
}
