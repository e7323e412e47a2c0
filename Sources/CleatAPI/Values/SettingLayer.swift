/// The layers that a value can come from, from the lowest to the highest.
package enum SettingLayer: String, Codable, Hashable, Sendable, CaseIterable {
    /// The default of the schema: nobody has set the path.
    case schemaDefault = "schema_default"
    /// The vendor's defaults, `defaults.d/*.json5`.
    case vendor
    /// What was written once in production.
    case factory
    /// A committed generation.
    case committed
    /// Until the next boot.
    case volatile
}
