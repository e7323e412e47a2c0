package import CleatAPI
internal import CleatSandbox
package import CleatSettings

extension AdapterSet {
    /// Returns the change of the system by a change of settings; only the settings are read.
    ///
    /// - Parameters:
    ///   - before: the settings that the system follows now; nil if it follows none.
    ///   - after: the settings that the system will follow.
    ///   - paths: the settings that differ; nil if they are not known.
    ///   - rewritten: the settings among them whose resources are written again, even if their states do not differ.
    /// - Returns: the resources whose states differ.
    package func change(
        from before: LayeredSettings?, to after: LayeredSettings, at paths: [SettingPath]? = nil,
        rewriting rewritten: [SettingPath] = []
    ) -> SystemChange {
        let involved = involved(in: paths)
        let old = involved.map { adapter in
            before.map { desired(followed($0, by: adapter), of: adapter) } ?? DesiredState()
        }
        let new = involved.map { desired(followed(after, by: $0), of: $0) }
        let held = states(of: old)
        let taken = states(of: new)
        var parts: [SystemChange.Part] = []
        for (index, adapter) in involved.enumerated() {
            // Released resources are restored first, in reverse order as in a revert; then the wanted ones are applied.
            var steps = old[index].wanted.reversed().filter { taken[$0.resource] == nil }.map {
                SystemChange.Step(resource: $0.resource, before: $0.state, after: nil, path: $0.path)
            }
            for wanted in new[index].wanted {
                let isTakenAlong = wanted.leader.map { leader in steps.contains { $0.resource == leader } } ?? false
                let isRewritten =
                    !rewritten.isEmpty
                    && (adapter.knownSources(of: wanted.resource) + [wanted.path]).contains { source in
                        rewritten.contains { $0 == source || $0.isBelow(source) || source.isBelow($0) }
                    }
                guard isTakenAlong || isRewritten || held[wanted.resource] != wanted.state else { continue }
                steps.append(
                    SystemChange.Step(
                        resource: wanted.resource, before: held[wanted.resource], after: wanted.state,
                        path: wanted.path,
                        isQuotable: wanted.resource.isRuntimeState && !after.holdsSecret(under: wanted.path)))
            }
            // A program that uses a secret setting itself runs even if the secret does not differ.
            let former = rewritten.isEmpty ? before : before?.forgetting(rewritten)
            let actions = adapter.actions(
                from: former.map { followed($0, by: adapter) }, to: followed(after, by: adapter),
                changed: Set(steps.map(\.resource)))
            if steps.isEmpty, actions.isEmpty { continue }
            parts.append(
                SystemChange.Part(
                    adapter: adapter.name, steps: steps, actions: actions,
                    timeLimit: adapter.timeLimit))
        }
        return SystemChange(parts: parts, notes: new.flatMap(\.notes), involved: Set(involved.map(\.name)))
    }

    /// Returns the reasons why the settings cannot be applied; nothing is written.
    ///
    /// - Parameters:
    ///   - settings: the settings that the system will follow.
    ///   - change: the change; rights are checked for its resources only.
    ///   - system: the system, which is only read.
    ///   - origins: the states of released resources before Cleat changed them, if they are known.
    /// - Returns: all problems of the adapters that follow what differs, sorted by their paths.
    package func check(
        _ settings: LayeredSettings, _ change: SystemChange, on system: SystemResources,
        origins: [Resource: Memento] = [:]
    ) -> [SettingProblem] {
        var problems = ownershipProblems(settings, touching: Set(change.parts.map(\.adapter)))
        // Problems of other adapters are reported with their settings; they do not block this change.
        for adapter in adapters where change.involved.contains(adapter.name) {
            problems += adapter.check(followed(settings, by: adapter), desired(settings, of: adapter), on: system)
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
                guard let missing = command.missingProgram(on: system) else { continue }
                problems.append(
                    SettingProblem(path: path, value: nil, code: .system, reason: "cannot be applied: " + missing))
            }
        }
        return problems.sortedByPath()
    }

    /// Returns the problems of resources that two adapters want, one of which is touched.
    private func ownershipProblems(_ settings: LayeredSettings, touching touched: Set<String>) -> [SettingProblem] {
        let states = adapters.map { desired(settings, of: $0) }
        var shared: Set<Resource> = []
        for (index, adapter) in adapters.enumerated() where touched.contains(adapter.name) {
            for (other, state) in states.enumerated() where other != index {
                shared.formUnion(states[index].shared(with: state))
            }
        }
        guard !shared.isEmpty else { return [] }
        var problems: [SettingProblem] = []
        var owners: [Resource: (adapter: String, path: SettingPath)] = [:]
        for (adapter, state) in zip(adapters, states) {
            for wanted in state.wanted where shared.contains(wanted.resource.canonical) {
                let value = wanted.resource.canonical
                guard let other = owners[value] else {
                    owners[value] = (adapter.name, wanted.path)
                    continue
                }
                guard touched.contains(adapter.name) || touched.contains(other.adapter) else { continue }
                problems.append(
                    SettingProblem(
                        path: wanted.path, value: nil, code: .system,
                        reason: "sets \(wanted.resource), which \(other.path) also sets; unset one of the two"))
            }
        }
        return problems
    }

    /// Returns the actions after these resources have been restored.
    ///
    /// - Parameters:
    ///   - mementos: the restored states.
    ///   - old: the settings that are reverted; nil if they are not known.
    ///   - new: the settings in force again.
    ///   - paths: the settings that differ; nil if they are not known.
    /// - Returns: the actions of each adapter, the last adapter first; equal actions only once.
    package func actions(
        afterRestoring mementos: [Memento], from old: LayeredSettings?, to new: LayeredSettings,
        at paths: [SettingPath]? = nil
    ) -> [(adapter: String, actions: [AdapterAction])] {
        var groups: [(adapter: String, actions: [AdapterAction])] = []
        let involved = Set(involved(in: paths).map(\.name))
        for adapter in adapters.reversed() {
            let changed = Set(mementos.filter { $0.adapter == adapter.name }.map(\.resource))
            guard involved.contains(adapter.name) || !changed.isEmpty else { continue }
            let target = followed(new, by: adapter)
            let restored = (adapter as? any NetworkAdapter)?.restored(mementos, for: target) ?? target
            let actions = adapter.actions(
                from: old.map { followed($0, by: adapter) }, to: restored, changed: changed
            ).filter { action in
                !action.isRefuted(by: mementos, desired(restored, of: adapter))
                    && !groups.contains { $0.actions.contains(action) }
            }
            if !actions.isEmpty { groups.append((adapter.name, actions)) }
        }
        return groups
    }

    private func states(of desired: [DesiredState]) -> [Resource: ResourceState] {
        Dictionary(desired.flatMap(\.wanted).map { ($0.resource, $0.state) }) { first, _ in first }
    }

    /// Describes the effects of a change on the system, resource by resource; nothing is written.
    ///
    /// Files and values that are made of secrets, or that not all users may read, are not shown.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - before: the settings that the system follows now.
    ///   - after: the settings that the system will follow.
    ///   - system: the system, which is only read.
    ///   - origins: the states of resources before Cleat changed them, as far as they are known.
    /// - Returns: the steps in the order in which they are applied, further consequences, and the reasons why resources
    ///   cannot be changed.
    package func plan(
        _ change: SystemChange, from before: LayeredSettings, to after: LayeredSettings, on system: SystemResources,
        origins: [Resource: Memento]
    ) -> (steps: [PlannedStep], effects: [String], problems: [SettingProblem]) {
        var steps: [PlannedStep] = []
        var effects: [String] = []
        var problems: [SettingProblem] = []
        for part in change.parts {
            let adapter = self[part.adapter]
            if let adapter = adapter as? any NetworkAdapter {
                effects += InterfaceSettings.effects(
                    from: followed(before, by: adapter), to: followed(after, by: adapter)
                ) { name in
                    // A plan without the present address is better than none.
                    (try? system.interface(name))?.addressText
                }
            }
            for step in part.steps {
                let sources = (adapter?.knownSources(of: step.resource) ?? []) + [step.path]
                let isSecret = sources.contains { before.holdsSecret(under: $0) || after.holdsSecret(under: $0) }
                do throws(ResourceError) {
                    steps.append(
                        try system.plan(
                            step, of: part.adapter, origin: origins[step.resource], isSecret: isSecret,
                            isMade: change.makes(step.resource)))
                } catch {
                    problems.append(
                        SettingProblem(
                            path: step.path, value: nil, code: .system, reason: "cannot be applied: \(error)"))
                }
            }
        }
        return (steps, effects, problems)
    }

    /// Compares the system with its desired state by the settings.
    ///
    /// - Parameters:
    ///   - settings: the settings in force.
    ///   - known: the records of the resources that Cleat manages.
    ///   - occasion: the reason for the comparison.
    ///   - leaving: resources that are not compared: those of a change on trial.
    ///   - isComplete: true if all sources of settings and adapters were read; if not, unwanted resources are kept.
    ///   - system: the system, which is only read.
    /// - Returns: the change to make, and the findings to report.
    package func reconcile(
        _ settings: LayeredSettings, known: [Resource: KnownResource], _ occasion: Reconciliation.Occasion,
        leaving: Set<Resource> = [], isComplete: Bool = true, on system: SystemResources
    ) -> Reconciliation {
        let input = Reconciler.Input(
            settings: settings, known: known, occasion: occasion, isComplete: isComplete)
        var reconciler = Reconciler(self, input, on: system)
        return reconciler.reconcile(leaving: leaving)
    }
}
