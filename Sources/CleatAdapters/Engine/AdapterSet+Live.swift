internal import CleatOrder
package import CleatSettings

extension AdapterSet {
    /// Reads the system's own values of settings.
    ///
    /// - Parameters:
    ///   - prefix: a setting or a group; nil for all settings.
    ///   - settings: the settings in force; secrets are omitted, and what no setting can express, such as
    ///     the loopback interface.
    ///   - system: the system, which is only read.
    /// - Returns: the values with the names of their adapters, sorted by their paths; and the reasons why some could not
    ///   be read.
    package func live(
        under prefix: SettingPath?, _ settings: LayeredSettings, on system: SystemResources
    ) -> (values: [(live: LiveValue, adapter: String)], problems: [ResourceError]) {
        var values: [(live: LiveValue, adapter: String)] = []
        var problems: [ResourceError] = []
        let scope = LiveScope(prefix)
        for case let adapter as any LiveAdapter in adapters where adapter.prefixes.contains(where: scope.meets) {
            do throws(ResourceError) {
                for value in try adapter.live(scope, settings, on: system)
                where scope.includes(value.path) && settings.schema.lookup(value.path) != nil
                    && !settings.schema.hides(value.path)
                {
                    values.append((value, adapter.name))
                }
            } catch {
                problems.append(error)
            }
        }
        return (values.ordered { $0.live.path < $1.live.path }, problems)
    }
}
