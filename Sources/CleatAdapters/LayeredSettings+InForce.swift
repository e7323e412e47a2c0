package import CleatJSON
package import CleatSettings

extension LayeredSettings {
    /// Returns the value that the system must follow at a path; nil if only the schema's default, or nothing, is there.
    package func inForce(_ path: SettingPath) -> JSONValue? {
        guard let setting = value(at: path), setting.isSetting, setting.isInForce else { return nil }
        return setting.value
    }

    /// Returns the settings that the system must follow at a path and below it, sorted by their paths.
    package func inForce(under path: SettingPath) -> [ResolvedSetting] {
        list(under: path, defaults: false).filter { $0.isSetting && $0.isInForce }
    }
}
