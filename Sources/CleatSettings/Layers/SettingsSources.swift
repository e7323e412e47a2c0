/// All that the board's files say about its settings: what the paths may hold, the layers below the committed one, and
/// the locks.
package struct SettingsSources: Sendable {
    /// What the paths may hold.
    package var schema: Schema
    /// The vendor's defaults, the lowest file first: a later one counts more.
    package var vendor: [SettingsFile]
    /// What was written once in production.
    package var factory: SettingsFile?
    /// What is pinned to a layer.
    package var locks: [SettingLock]

    /// Gathers sources.
    package init(
        schema: Schema, vendor: [SettingsFile] = [], factory: SettingsFile? = nil, locks: [SettingLock] = []
    ) {
        self.schema = schema
        self.vendor = vendor
        self.factory = factory
        self.locks = locks
    }
}
