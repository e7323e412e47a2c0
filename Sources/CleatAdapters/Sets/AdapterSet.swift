package import CleatSandbox
package import CleatSettings

/// Holds all adapters in the order in which they are applied, and says what a change of settings changes in the system.
package struct AdapterSet: Sendable {
    /// The adapters, in the order in which they are applied.
    package let adapters: [any Adapter]
    /// The interfaces whose settings wait until somebody asks for them (``Drift/Kind/held(former:)``): they are none for a
    /// change.
    package var heldInterfaces: Set<String> = []

    /// Takes adapters with different names, in the order in which they are applied.
    package init(_ adapters: [any Adapter]) {
        self.adapters = adapters
        for (index, adapter) in adapters.enumerated() {
            for prefix in adapter.prefixes { followers[prefix, default: []].append(index) }
        }
    }

    /// The adapters that follow the settings at a path and below it, by their places.
    private var followers: [SettingPath: [Int]] = [:]

    /// Whether a setting that nobody has set is what the schema's default says.
    ///
    /// It is where no adapter follows it, or one uses the default. Else it is left to the system, and so is what Cleat's own schema has of the system where nothing here
    /// follows it.
    package func isDefaultInForce(at path: SettingPath, _ settings: LayeredSettings) -> Bool {
        var isFollowed = false
        var place: SettingPath? = path
        while let prefix = place {
            for index in followers[prefix] ?? [] {
                if adapters[index].usesDefault(of: path, settings) { return true }
                isFollowed = true
            }
            place = prefix.parent
        }
        // The agent's own settings need no adapter.
        return !isFollowed && (path.segments.first == "agent" || Schema.builtIn.lookup(path) == nil)
    }

    /// The settings that an adapter is to follow: without those of interfaces that wait.
    func followed(_ settings: LayeredSettings, by adapter: any Adapter) -> LayeredSettings {
        guard !heldInterfaces.isEmpty, adapter is any InterfaceConfiguring else { return settings }
        let paths = heldInterfaces.compactMap { try? InterfaceSettings.path.appending($0) }
        return settings.forgetting(paths.flatMap { settings.inForce(under: $0).map(\.path) })
    }

    /// The files and links that may be written.
    package var files: [ManagedFileDeclaration] { adapters.flatMap(\.files) }

    /// Says what changes in the system with the settings; nothing is looked at but them.
    ///
    /// - Parameters:
    ///   - before: the settings that the system follows now; nil where it follows none.
    ///   - after: the settings that it shall follow.
    ///   - paths: the settings that differ; nil where that is not known.
    ///   - rewritten: the settings among them whose resources are written anew, whether their states differ or not.
    /// - Returns: the resources whose states differ.
    package func change(
        from before: LayeredSettings?, to after: LayeredSettings, at paths: [SettingPath]? = nil,
        rewriting rewritten: [SettingPath] = []
    ) -> SystemChange {
        let involved = adapters.filter { adapter in paths?.contains { adapter.follows($0) } ?? true }
        let old = involved.map { adapter in
            before.map { adapter.desired(followed($0, by: adapter)) } ?? DesiredState()
        }
        let new = involved.map { $0.desired(followed(after, by: $0)) }
        let held = states(of: old)
        let taken = states(of: new)
        var parts: [SystemChange.Part] = []
        for (index, adapter) in involved.enumerated() {
            // What is let go comes back first, the last one first, as a revert has it; then what is wanted is applied.
            var steps = old[index].wanted.reversed().filter { taken[$0.resource] == nil }.map {
                SystemChange.Step(resource: $0.resource, before: $0.state, after: nil, path: $0.path)
            }
            for wanted in new[index].wanted {
                let isTakenAlong = wanted.leader.map { leader in steps.contains { $0.resource == leader } } ?? false
                let isRewritten =
                    !rewritten.isEmpty
                    && (adapter.sources(of: wanted.resource) + [wanted.path]).contains { source in
                        rewritten.contains { $0 == source || $0.isBelow(source) || source.isBelow($0) }
                    }
                guard isTakenAlong || isRewritten || held[wanted.resource] != wanted.state else { continue }
                steps.append(
                    SystemChange.Step(
                        resource: wanted.resource, before: held[wanted.resource], after: wanted.state,
                        path: wanted.path,
                        isQuotable: wanted.resource.isKernels && !after.holdsSecret(under: wanted.path)))
            }
            // A program that follows a secret itself runs whether that differs or not.
            let former = rewritten.isEmpty ? before : before?.forgetting(rewritten)
            let actions = Self.actions(
                of: adapter, from: former.map { followed($0, by: adapter) }, to: followed(after, by: adapter),
                changed: Set(steps.map(\.resource)))
            if steps.isEmpty, actions.isEmpty { continue }
            parts.append(
                SystemChange.Part(
                    adapter: adapter.name, steps: steps, actions: actions,
                    timeLimit: adapter.timeLimit))
        }
        return SystemChange(parts: parts, notes: new.flatMap(\.notes), involved: Set(involved.map(\.name)))
    }

    /// Says why the settings cannot be followed; nothing is written.
    ///
    /// - Parameters:
    ///   - settings: the settings that the system shall follow.
    ///   - change: what changes with them; only what is touched needs rights.
    ///   - system: the system, which is looked at.
    ///   - origins: what resources that are let go were before Cleat touched them, where that is known.
    /// - Returns: all problems of the adapters that follow what differs, sorted by their paths.
    package func check(
        _ settings: LayeredSettings, _ change: SystemChange, on system: SystemResources,
        origins: [Resource: Memento] = [:]
    ) -> [SettingProblem] {
        let touched = Set(change.parts.map(\.adapter))
        var problems: [SettingProblem] = []
        var owners: [Resource: (adapter: String, path: SettingPath)] = [:]
        for adapter in adapters {
            let desired = adapter.desired(settings)
            for wanted in desired.wanted {
                let value = wanted.resource.underItsOneName
                guard let other = owners[value] else {
                    owners[value] = (adapter.name, wanted.path)
                    continue
                }
                guard touched.contains(adapter.name) || touched.contains(other.adapter) else { continue }
                problems.append(
                    SettingProblem(
                        path: wanted.path, value: nil, code: .system,
                        reason: "means \(wanted.resource), which \(other.path) means too; unset one of the two"))
            }
            // What others cannot follow is told where it is set; it is not in the way of this change.
            if change.involved.contains(adapter.name) { problems += adapter.check(settings, on: system) }
        }
        for step in change.parts.flatMap(\.steps) {
            guard let missing = system.missingRight(to: step) else { continue }
            problems.append(SettingProblem(path: step.path, value: nil, code: .system, reason: missing))
        }
        for (step, missing) in system.missingDirectories(of: change.parts.flatMap(\.steps), origins: origins) {
            problems.append(SettingProblem(path: step.path, value: nil, code: .system, reason: missing))
        }
        for part in change.parts {
            guard let path = part.steps.first?.path ?? prefix(of: part.adapter) else { continue }
            for command in part.actions.flatMap(\.commands) {
                guard let missing = system.missingProgram(of: command) else { continue }
                problems.append(
                    SettingProblem(path: path, value: nil, code: .system, reason: "cannot be followed: " + missing))
            }
        }
        return problems.sorted { $0.path < $1.path }
    }

    /// Says what is to be done once these resources have been brought back.
    ///
    /// - Parameters:
    ///   - mementos: what was brought back.
    ///   - old: the settings that are given up; nil where they are not known.
    ///   - new: the settings that hold again.
    ///   - paths: the settings that differ; nil where that is not known.
    /// - Returns: the actions of each adapter, the last adapter's first; what several ask for, once.
    package func actions(
        afterRestoring mementos: [Memento], from old: LayeredSettings?, to new: LayeredSettings,
        at paths: [SettingPath]? = nil
    ) -> [(adapter: String, actions: [AdapterAction])] {
        var groups: [(adapter: String, actions: [AdapterAction])] = []
        for adapter in adapters.reversed() {
            let changed = Set(mementos.filter { $0.adapter == adapter.name }.map(\.resource))
            let isInvolved = paths?.contains { adapter.follows($0) } ?? true
            guard isInvolved || !changed.isEmpty else { continue }
            let target = followed(new, by: adapter)
            let restored = (adapter as? any InterfaceConfiguring)?.restored(mementos, for: target) ?? target
            let actions = Self.actions(
                of: adapter, from: old.map { followed($0, by: adapter) }, to: restored, changed: changed
            ).filter { action in
                !action.isRefuted(by: mementos, adapter.desired(restored))
                    && !groups.contains { $0.actions.contains(action) }
            }
            if !actions.isEmpty { groups.append((adapter.name, actions)) }
        }
        return groups
    }

    private static func actions(
        of adapter: any Adapter, from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        if let old { return adapter.actions(from: old, to: new, changed: changed) }
        return changed.isEmpty ? [] : adapter.actions(changed: changed)
    }

    private func states(of desired: [DesiredState]) -> [Resource: ResourceState] {
        Dictionary(desired.flatMap(\.wanted).map { ($0.resource, $0.state) }) { first, _ in first }
    }
}
