package import CleatJSON

/// A value in a file of defaults or factory data that is not in force because the schema refuses it.
package struct RefusedDefault: Sendable, Hashable {
    /// The layer of the file.
    package let layer: ResolvedSetting.Origin
    /// The file.
    package let file: String
    /// The value.
    package let value: JSONValue
    /// The path of the value and the reason for the refusal.
    package let problem: SettingProblem

    /// The path of the value.
    package var path: SettingPath { problem.path }
}
