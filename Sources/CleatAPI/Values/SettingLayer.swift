package import CleatSettings

/// The layers that a value can come from, from the lowest to the highest, by their names on the wire.
package typealias SettingLayer = ResolvedSetting.Origin
