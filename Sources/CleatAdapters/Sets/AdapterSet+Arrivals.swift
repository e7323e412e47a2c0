package import CleatSettings

extension AdapterSet {
    /// Whether interfaces are configured by Cleat itself, so that it has to see to those that appear later.
    package var configuresInterfaces: Bool { adapters.contains { $0 is InterfacesAdapter } }

    /// Whether something is set of an interface.
    package func isSet(interface name: String, _ settings: LayeredSettings) -> Bool {
        guard configuresInterfaces, let path = try? InterfaceSettings.path.appending(name) else { return false }
        return !settings.inForce(under: path).isEmpty
    }

    /// The interfaces that the settings want something of and that are not here.
    ///
    /// - Throws: why one could not be looked for.
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

    /// What is to be done with an interface that has just appeared, which knows nothing of the settings.
    ///
    /// - Returns: what changes; nothing where nothing is wanted of it. And why its settings cannot be followed; nothing
    ///   changes then.
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
