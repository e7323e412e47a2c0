internal import CleatOrder
package import CleatSettings

extension AdapterSet {
    /// Reads the present configuration of the system as settings.
    ///
    /// - Parameters:
    ///   - settings: the settings in force; those that are set, and values that a schema refuses, are omitted.
    ///   - system: the system, which is only read.
    /// - Returns: the settings in the order of their paths, and the parts that are not imported.
    package func importedSettings(_ settings: LayeredSettings, on system: SystemResources) -> ImportedSettings {
        var found = ImportedSettings()
        for case let adapter as any ImportingAdapter in adapters {
            do throws(ResourceError) {
                try adapter.importSettings(into: &found, settings, on: system)
            } catch {
                found.skip("\(error.resource?.description ?? adapter.name)", "could not be read: \(error.reason)")
            }
        }
        let all = found.settings
        found.settings = []
        for one in all.ordered(by: { $0.path < $1.path }) where settings.inForce(one.path) == nil {
            // The schema has the same limits for all callers.
            guard let node = settings.schema.lookup(one.path), node.accepts(one.value) else {
                found.skip(one.source, "has a value that \(one.path) does not accept: \(one.value)")
                continue
            }
            found.settings.append(one)
        }
        return found
    }
}
