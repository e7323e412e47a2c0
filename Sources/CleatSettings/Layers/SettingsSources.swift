/// The contents of the board's files about its settings: the schema, the layers below the committed one, and the locks.
package struct SettingsSources: Sendable {
    /// The schema of the settings.
    package var schema: Schema
    /// The vendor's defaults, the lowest file first: a later file overrides an earlier one.
    package var vendor: [SettingsFile]
    /// The factory data, written once in production.
    package var factory: SettingsFile?
    /// The locks that pin paths to a layer.
    package var locks: [SettingLock]

    /// Makes sources.
    package init(
        schema: Schema, vendor: [SettingsFile] = [], factory: SettingsFile? = nil, locks: [SettingLock] = []
    ) {
        self.schema = schema
        self.vendor = vendor
        self.factory = factory
        self.locks = locks
    }
}
