/// The result of a set of changes before it is committed.
package struct SettingsProposal: Sendable {
    /// The most problems that are listed.
    package static let maximumProblems = 256

    /// The settings with the changes made.
    package let settings: LayeredSettings
    /// The committed rows that the changes alter, in order.
    package let differences: [SettingDifference]
    /// The volatile rows that the changes alter, in order.
    package let volatileDifferences: [SettingDifference]
    /// The problems with the changes, in order of the paths, up to ``maximumProblems``.
    package let problems: [SettingProblem]
    /// The number of problems, including those that are not listed.
    package let problemCount: Int

    /// True if nothing would change.
    package var isEmpty: Bool { differences.isEmpty && volatileDifferences.isEmpty }
}
