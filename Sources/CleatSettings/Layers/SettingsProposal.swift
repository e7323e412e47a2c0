/// Shows what a set of changes would do, before it is done.
package struct SettingsProposal: Sendable {
    /// The most problems that are told one by one.
    package static let maximumProblems = 256

    /// The settings with the changes made.
    package let settings: LayeredSettings
    /// The committed rows that the changes make different, in order.
    package let differences: [SettingDifference]
    /// The volatile rows that the changes make different, in order.
    package let volatileDifferences: [SettingDifference]
    /// What speaks against the changes, in order of the paths, up to ``maximumProblems``.
    package let problems: [SettingProblem]
    /// The number of problems, the untold ones included.
    package let problemCount: Int

    /// Whether nothing would change.
    package var isEmpty: Bool { differences.isEmpty && volatileDifferences.isEmpty }
}
