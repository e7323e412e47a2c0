internal import CleatSandbox
package import CleatSettings

extension AdapterSet {
    /// Compares the system with what the settings want of it.
    ///
    /// - Parameters:
    ///   - settings: the settings in force.
    ///   - known: what is remembered of the resources that Cleat has taken.
    ///   - occasion: when it is looked at.
    ///   - leaving: resources that are not looked at: those of a change on trial.
    ///   - isComplete: whether all is known that settings and adapters are read from; else what nothing wants stays.
    ///   - system: the system, which is only looked at.
    /// - Returns: what is to be done, and what is told.
    package func reconcile(
        _ settings: LayeredSettings, known: [Resource: KnownResource], _ occasion: Reconciliation.Occasion,
        leaving: Set<Resource> = [], isComplete: Bool = true, on system: SystemResources
    ) -> Reconciliation {
        var result = Reconciliation()
        let former = system.isRunning ? formerNetwork(settings, known) : nil
        var wanted: Set<Resource> = leaving
        var busy: Set<String> = []
        var steps: [(adapter: any Adapter, steps: [SystemChange.Step])] = []
        for adapter in adapters {
            let desired = adapter.desired(settings)
            // Two adapters that want one resource are refused when a setting is set; of defaults the first one counts.
            let own = desired.wanted.filter { wanted.insert($0.resource).inserted }
            // What it wants beside that is followed; what it wants no more may be what the problem is about.
            if !desired.problems.isEmpty { busy.insert(adapter.name) }
            var written: [SystemChange.Step] = []
            for item in own where item.state != .kept {
                if let former, former.held.contains(item.resource) {
                    guard occasion.repairs(item.resource) else {
                        result.drift.append(
                            Drift(
                                resource: item.resource, kind: .held(former: former.name), adapter: adapter.name,
                                setting: item.path))
                        continue
                    }
                    written.append(
                        SystemChange.Step(resource: item.resource, before: nil, after: item.state, path: item.path))
                    continue
                }
                let verdict = judge(item, adapter.name, known[item.resource], occasion, on: system, &result)
                guard verdict else { continue }
                var resets = false
                if case .repair = occasion { resets = item.resource.isFile }
                written.append(
                    SystemChange.Step(
                        resource: item.resource, before: nil, after: item.state, path: item.path, resets: resets))
            }
            let unlike = differing(
                adapter, settings, occasion, leaving.union(former?.held ?? []), on: system, &result)
            for item in own
            where unlike.contains(item.resource) && !written.contains(where: { $0.resource == item.resource }) {
                written.append(
                    SystemChange.Step(resource: item.resource, before: nil, after: item.state, path: item.path))
            }
            // What is only kept must be known before what changes it is written for the first time; an interface comes back
            // with each way back.
            for item in own where item.state == .kept {
                guard item.resource.isInterface || known[item.resource]?.hasOrigin != true else { continue }
                guard written.contains(where: { $0.path.parent == item.path.parent }) else { continue }
                written.append(
                    SystemChange.Step(resource: item.resource, before: nil, after: item.state, path: item.path))
            }
            if written.isEmpty { result.problems += desired.problems } else { steps.append((adapter, written)) }
        }
        var parts = letGo(known, wanted, busy, former, isComplete, occasion, on: system, &result)
        for (adapter, steps) in steps {
            var problems = adapter.check(settings, on: system)
            // What cannot be set is in the way of nothing else, and is told by its setting.
            let others = adapter.desired(settings).wanted.filter { other in
                !steps.contains { $0.resource == other.resource }
            }
            for other in others where system.isGone(other.resource) {
                problems.append(
                    SettingProblem(
                        path: other.path, value: nil, code: .system,
                        reason: SystemResources.absence(of: other.resource)))
            }
            for step in steps {
                guard let missing = system.missingRight(to: step) else { continue }
                problems.append(SettingProblem(path: step.path, value: nil, code: .system, reason: missing))
            }
            result.problems += problems
            let refused = Set(problems.map(\.path))
            let steps = steps.filter { !refused.contains($0.path) }
            if steps.isEmpty { continue }
            parts.append(
                SystemChange.Part(
                    adapter: adapter.name, steps: steps,
                    actions: Self.actions(of: adapter, settings, occasion, for: steps, former),
                    timeLimit: adapter.timeLimit))
        }
        result.change = SystemChange(parts: parts, notes: [])
        return result
    }

    /// What takes up resources that are written again.
    ///
    /// Who asks for that gets all that a change would do; at a start what runs the network comes by itself, and reads them
    /// then.
    private static func actions(
        of adapter: any Adapter, _ settings: LayeredSettings, _ occasion: Reconciliation.Occasion,
        for steps: [SystemChange.Step], _ former: FormerNetwork?
    ) -> [AdapterAction] {
        let changed = Set(steps.map(\.resource))
        guard case .repair = occasion else { return adapter.actions(changed: changed) }
        let fresh = steps.filter { former?.held.contains($0.resource) ?? false }.compactMap(\.path.parent)
            .flatMap { settings.inForce(under: $0).map(\.path) }
        return adapter.actions(
            from: fresh.isEmpty ? settings : settings.forgetting(fresh), to: settings, changed: changed)
    }

    /// Asks the kernel whether the interfaces that a service configures are what the settings say.
    ///
    /// - Returns: the files of those that are to be configured anew; the others are told.
    private func differing(
        _ adapter: any Adapter, _ settings: LayeredSettings, _ occasion: Reconciliation.Occasion,
        _ leaving: Set<Resource>, on system: SystemResources, _ result: inout Reconciliation
    ) -> Set<Resource> {
        // At a start the service may not have come to it yet.
        if occasion == .boot || occasion == .restart { return [] }
        guard let adapter = adapter as? any InterfaceConfiguring, system.isRunning else { return [] }
        var files: Set<Resource> = []
        for interface in adapter.configured(settings) where !leaving.contains(interface.file) {
            let resource = Resource.interface(interface.name)
            do throws(ResourceError) {
                guard system.isUsed(interface), let differences = try system.differences(of: interface),
                    !differences.isEmpty
                else { continue }
                if case .repair(let chosen) = occasion, chosen.contains(resource) {
                    files.insert(interface.file)
                } else {
                    result.drift.append(
                        Drift(
                            resource: resource, kind: .differs(differences), adapter: adapter.name,
                            setting: interface.path))
                }
            } catch {
                result.drift.append(
                    Drift(
                        resource: resource, kind: .unreadable(error), adapter: adapter.name, setting: interface.path))
            }
        }
        return files
    }

    /// Says whether a resource is to be written; what else there is to say of it is added to the result.
    private func judge(
        _ item: DesiredState.Wanted, _ adapter: String, _ known: KnownResource?, _ occasion: Reconciliation.Occasion,
        on system: SystemResources, _ result: inout Reconciliation
    ) -> Bool {
        func tell(_ kind: Drift.Kind) -> Bool {
            if case .repair(let chosen) = occasion, chosen.contains(item.resource) { return true }
            result.drift.append(Drift(resource: item.resource, kind: kind, adapter: adapter, setting: item.path))
            return false
        }
        /// Whether the resource is written where nobody has a say in it.
        func write(_ kind: Drift.Kind) -> Bool { occasion == .boot || occasion == .restart ? true : tell(kind) }
        do throws(ResourceError) {
            if case (.interface(let name), .interface(let state)) = (item.resource, item.state), system.isRunning {
                // Others may add to an interface what Cleat does not set, so that only what is said of it is compared.
                if occasion == .boot { return true }
                // One that is not here is told what it shall be when it appears.
                let differences = try system.differences(of: name, from: state) ?? []
                return differences.isEmpty ? false : tell(.differs(differences))
            }
            guard let now = try system.fingerprint(of: item.resource) else { return false }
            let wanted = item.state.fingerprint
            let holds = try system.holds(item.state, item.resource)
            func remember() -> Bool {
                result.found.append(
                    Reconciliation.Found(resource: item.resource, adapter: adapter, wanted: wanted, found: now))
                return false
            }
            let isMissing = now == SystemResources.absentFingerprint && item.resource.isName
            guard let known, let found = known.found, !found.isEmpty else {
                if holds { return remember() }
                // Never taken, or cut off while it was being written; else it was written by a release that did not
                // remember what.
                let isOurs = known?.found == nil && known?.hasOrigin == true
                if item.resource.isKernels, occasion == .boot { return true }
                return isOurs && !isMissing ? tell(.changed(now)) : write(isMissing ? .missing : .notApplied)
            }
            if now == found {
                if wanted == known.wanted { return false }
                return holds ? remember() : write(.notApplied)
            }
            if isMissing { return write(.missing) }
            // What else may be as it shall be is the owner or the mode of a file, which the settings need not name.
            if holds, !item.resource.isName { return false }
            return item.resource.isKernels && occasion == .boot ? true : tell(.changed(now))
        } catch {
            return tell(.unreadable(error))
        }
    }

    /// Brings back what nothing wants any more, each adapter's last one first.
    private func letGo(
        _ known: [Resource: KnownResource], _ wanted: Set<Resource>, _ busy: Set<String>, _ former: FormerNetwork?,
        _ isComplete: Bool, _ occasion: Reconciliation.Occasion, on system: SystemResources,
        _ result: inout Reconciliation
    ) -> [SystemChange.Part] {
        var steps: [String: [SystemChange.Step]] = [:]
        for (resource, known) in known.sorted(by: { $0.key > $1.key }) where !wanted.contains(resource) {
            guard isComplete, !busy.contains(known.adapter) else { continue }
            if case .interface(let name) = resource, !adapters.contains(where: { $0.name == known.adapter }) {
                // Another service has the interface now: what it was before is of no use, but stands for who was told of it.
                if former?.heldInterfaces.contains(name) != true, former?.isUnfollowed != true {
                    result.forgotten.append(resource)
                }
                continue
            }
            let isFormer = former?.adapters.contains(known.adapter) ?? false
            if isFormer, former?.stays(occasion) ?? false { continue }
            // After a boot, and of a device that was removed, nothing is left of what was written to the kernel.
            guard known.hasOrigin, !(resource.isKernels && occasion == .boot), !system.isGone(resource) else {
                result.forgotten.append(resource)
                continue
            }
            do throws(ResourceError) {
                let now = try system.fingerprint(of: resource)
                let isChanged = now != nil && known.found.map { !$0.isEmpty && $0 != now } ?? false
                var isChosen = occasion == .boot || occasion == .restart
                if case .repair(let chosen) = occasion { isChosen = isFormer || chosen.contains(resource) }
                if isChanged && (occasion == .boot || occasion == .restart) || !isChosen {
                    result.drift.append(Drift(resource: resource, kind: .letGo(now ?? ""), adapter: known.adapter))
                    continue
                }
            } catch {
                result.drift.append(Drift(resource: resource, kind: .unreadable(error), adapter: known.adapter))
                continue
            }
            // No setting is behind it any more; whoever reads a step's path is told of the system's settings as such.
            guard let path = prefix(of: known.adapter) else { continue }
            steps[known.adapter, default: []].append(
                SystemChange.Step(resource: resource, before: nil, after: nil, path: path))
        }
        return steps.sorted { $0.key < $1.key }.map { name, steps in
            let adapter = adapters.first { $0.name == name }
            return SystemChange.Part(
                adapter: name, steps: steps, actions: adapter?.actions(changed: Set(steps.map(\.resource))) ?? [],
                timeLimit: adapter?.timeLimit ?? .seconds(10))
        }
    }

    func prefix(of adapter: String) -> SettingPath? {
        adapters.first { $0.name == adapter }?.prefixes.first ?? adapters.first?.prefixes.first
    }
}

extension Resource {
    /// Whether it is an interface of the kernel's.
    var isInterface: Bool { if case .interface = self { true } else { false } }

    /// Whether it is a file that Cleat writes as a whole.
    fileprivate var isFile: Bool {
        switch self {
        case .file, .document: true
        case .link, .line, .attribute, .hostName, .interface: false
        }
    }

    /// Whether it is a name of the file system that can be missing.
    fileprivate var isName: Bool {
        switch self {
        case .file, .link, .document: true
        case .line, .attribute, .hostName, .interface: false
        }
    }
}
