package import CleatSettings

/// A row of the history: the change of a generation at one path.
package typealias StoredChange = SettingDifference
