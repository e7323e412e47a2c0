/// What `status` tells of settings that are not as they should be.
struct SettingsHealth: Sendable {
    /// The most paths that are told.
    static let inactiveLimit = 256

    /// How many findings there are.
    var findings: Int
    /// The paths of committed values that are not in force, in order, as far as they are told.
    var inactive: [String]
}
