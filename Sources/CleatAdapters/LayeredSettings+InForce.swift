package import CleatJSON
package import CleatSettings

extension LayeredSettings {
    /// What the system shall follow at a path; nil where only the schema's default, or nothing, is there.
    package func inForce(_ path: SettingPath) -> JSONValue? {
        guard let setting = value(at: path), setting.isSetting, setting.isInForce else { return nil }
        return setting.value
    }

    /// The settings that the system shall follow at a path and below it, sorted by their paths.
    package func inForce(under path: SettingPath) -> [ResolvedSetting] {
        list(under: path, defaults: false).filter { $0.isSetting && $0.isInForce }
    }
}
