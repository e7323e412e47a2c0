internal import CleatOrder
package import CleatSettings

extension AdapterSet {
    /// Reads the present configuration of the system as settings.
    ///
    /// - Parameters:
    ///   - settings: the settings in force; those that are set, and values that a schema refuses, are omitted.
    ///   - isPrivileged: true if the caller may change all settings.
    ///   - system: the system, which is only read.
    /// - Returns: the settings in the order of their paths, and the parts that are not imported.
    package func importedSettings(
        _ settings: LayeredSettings, isPrivileged: Bool = true, on system: SystemResources
    ) -> ImportedSettings {
        var found = ImportedSettings()
        for case let adapter as any ImportingAdapter in adapters {
            do throws(ResourceError) {
                try adapter.importSettings(into: &found, settings, on: system)
            } catch {
                found.skip("\(error.resource?.description ?? adapter.name)", "could not be read: \(error.reason)")
            }
        }
        let all = found.settings.ordered { $0.path < $1.path }.filter { settings.inForce($0.path) == nil }
        var refused: Set<SettingPath> = []
        for one in all {
            guard isPrivileged || admitsOperators(to: one.path) else {
                found.skip(one.source, "has \(one.path), which only root and the service's own user may change")
                refused.insert(one.unit)
                continue
            }
            guard let node = settings.schema.lookup(one.path), node.accepts(one.value) else {
                // The value of an unknown setting may be a secret.
                let value = settings.schema.lookup(one.path)?.isSecret == false ? ": \(one.value)" : ""
                found.skip(one.source, "has a value that \(one.path) does not accept\(value)")
                refused.insert(one.unit)
                continue
            }
        }
        // An interface is configured as a whole, or not at all.
        found.settings = all.filter { !refused.contains($0.unit) }
        return found
    }
}

extension ImportedSettings.Setting {
    /// The part that is imported as a whole: an interface, or one setting.
    fileprivate var unit: SettingPath {
        guard path.segments.count > 3, InterfaceSettings.path.isPrefix(of: path) else { return path }
        return (try? InterfaceSettings.path.appending(path.segments[2])) ?? path
    }
}
