package import CleatSettings

extension AdapterSet {
    /// Returns a change as it is applied on trial: interfaces whose addresses change keep their present ones, too.
    ///
    /// - Parameters:
    ///   - change: the change of the system.
    ///   - before: the settings that the system follows now.
    ///   - after: the settings with the change.
    ///   - system: the system, which is only read; under a root directory no client is connected to it, and nothing is
    ///     kept.
    /// - Returns: the change with the kept addresses.
    /// - Throws: the reason why an interface could not be read.
    package func onTrial(
        _ change: SystemChange, from before: LayeredSettings, to after: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> SystemChange {
        guard system.isRunning else { return change }
        var parts: [SystemChange.Part] = []
        for part in change.parts {
            var kept: KeptAddresses = [:]
            let adapter = adapters.first { $0.name == part.adapter }
            for name in adapter?.readdressed(from: before, to: after) ?? [] {
                kept[name] = try system.interface(name)?.addresses.compactMap(\.address)
            }
            guard let adapter, !kept.isEmpty else {
                parts.append(part)
                continue
            }
            let desired = adapter.desired(followed(after, by: adapter), keeping: kept)
            let steps = part.steps.map { step in
                SystemChange.Step(
                    resource: step.resource, before: step.before,
                    after: step.after == nil ? nil : desired[step.resource] ?? step.after, path: step.path)
            }
            parts.append(
                SystemChange.Part(
                    adapter: part.adapter, steps: steps, actions: part.actions,
                    timeLimit: part.timeLimit))
        }
        var kept = SystemChange(parts: parts, notes: change.notes, involved: change.involved)
        kept.contents = change.contents
        return kept
    }

    /// Returns the change before a change on trial is confirmed: it removes the kept addresses.
    ///
    /// It may be repeated, also after a restart of the service: resources in the desired state are not touched.
    ///
    /// - Parameters:
    ///   - before: the settings before the change.
    ///   - after: the settings with it.
    ///   - paths: the settings that differ.
    ///   - system: the system, which is only read.
    /// - Returns: the change; empty if nothing was kept.
    /// - Throws: the reason why a file could not be read.
    package func settling(
        from before: LayeredSettings, to after: LayeredSettings, at paths: [SettingPath], on system: SystemResources
    ) throws(ResourceError) -> SystemChange {
        guard system.isRunning else { return SystemChange() }
        var parts: [SystemChange.Part] = []
        for part in change(from: before, to: after, at: paths).parts {
            guard let adapter = adapters.first(where: { $0.name == part.adapter }),
                !adapter.readdressed(from: before, to: after).isEmpty
            else { continue }
            var steps: [SystemChange.Step] = []
            for step in part.steps {
                if case .file(let file) = step.after, let path = step.resource.path {
                    if try system.text(of: path) == String(decoding: file.bytes, as: UTF8.self) { continue }
                } else if step.after == nil || step.after == .kept {
                    continue
                }
                steps.append(
                    SystemChange.Step(
                        resource: step.resource, before: step.after, after: step.after, path: step.path))
            }
            let target = followed(after, by: adapter)
            // A confirmation that was interrupted is checked again.
            let actions =
                steps.isEmpty
                ? adapter.actions(from: target, to: target, changed: Set(part.steps.map(\.resource))).filter(\.isCheck)
                : adapter.actions(from: target, to: target, changed: Set(steps.map(\.resource)))
            guard !steps.isEmpty || !actions.isEmpty else { continue }
            parts.append(
                SystemChange.Part(
                    adapter: part.adapter, steps: steps, actions: actions, timeLimit: part.timeLimit))
        }
        return SystemChange(parts: parts, notes: [])
    }
}
