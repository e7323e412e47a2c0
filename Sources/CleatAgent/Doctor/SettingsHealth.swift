/// The part of `status` that is about settings with problems.
struct SettingsHealth: Sendable {
    /// The maximum number of paths that are listed.
    static let inactiveLimit = 256

    /// The number of findings.
    var findings: Int
    /// The paths of committed values that are not in force, sorted, up to the limit.
    var inactive: [String]
}
