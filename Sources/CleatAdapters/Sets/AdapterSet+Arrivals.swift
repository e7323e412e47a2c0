package import CleatSettings

extension AdapterSet {
    /// True if Cleat itself configures interfaces, and so must handle those that appear later.
    package var configuresInterfaces: Bool { adapters.contains { $0 is InterfacesAdapter } }

    /// Returns true if an interface has settings and Cleat itself configures interfaces.
    package func isSet(interface name: String, _ settings: LayeredSettings) -> Bool {
        guard configuresInterfaces, let path = try? InterfaceSettings.path.appending(name) else { return false }
        return !settings.inForce(under: path).isEmpty
    }

    /// Returns the interfaces that the settings configure, but that do not exist.
    ///
    /// - Throws: the reason why an interface could not be read.
    package func missingInterfaces(
        _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> Set<String> {
        guard configuresInterfaces, system.isRunning else { return [] }
        var missing: Set<String> = []
        for wanted in InterfacesAdapter().desired(settings).wanted {
            guard case .interface(let name) = wanted.resource else { continue }
            if try system.interface(name) == nil { missing.insert(name) }
        }
        return missing
    }

    /// Returns the change for an interface that has just appeared without its settings.
    ///
    /// - Returns: the change, which is empty if nothing is wanted of the interface; and the reasons why its settings
    ///   cannot be applied, in which case the change is empty, too.
    package func arrival(
        of name: String, _ settings: LayeredSettings
    ) -> (change: SystemChange, problems: [SettingProblem]) {
        for adapter in adapters where adapter is InterfacesAdapter {
            let desired = adapter.desired(settings)
            guard let wanted = desired.wanted.first(where: { $0.resource == .interface(name) }) else { continue }
            let problems = desired.problems.filter { $0.path.parent == wanted.path.parent }
            guard problems.isEmpty else { return (SystemChange(), problems) }
            let step = SystemChange.Step(
                resource: wanted.resource, before: nil, after: wanted.state, path: wanted.path)
            let part = SystemChange.Part(
                adapter: adapter.name, steps: [step], actions: [], timeLimit: adapter.timeLimit)
            return (SystemChange(part), [])
        }
        return (SystemChange(), [])
    }
}
