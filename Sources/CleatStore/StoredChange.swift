package import CleatSettings

/// A row of the history: what a generation changed at one path.
package typealias StoredChange = SettingDifference
