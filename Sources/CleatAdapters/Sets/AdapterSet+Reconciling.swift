internal import CleatSandbox
package import CleatSettings

extension AdapterSet {
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
        var result = Reconciliation()
        let former = system.isRunning ? formerNetwork(settings, known) : nil
        var wanted: Set<Resource> = leaving
        var busy: Set<String> = []
        var steps: [(adapter: any Adapter, steps: [SystemChange.Step])] = []
        for adapter in adapters {
            let desired = adapter.desired(settings)
            // Two adapters that want one resource are refused when a setting is set; for defaults the first one counts.
            let own = desired.wanted.filter { wanted.insert($0.resource).inserted }
            // Its other wishes are still followed; a resource that it no longer wants may be the one with the problem.
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
            // The state of a kept resource must be captured before the first write of the resource that changes it; an
            // interface is captured before each write, so that every revert restores it.
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
            // A value that cannot be set must not block the others, and is reported by its setting.
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

    /// Returns the actions that reload rewritten resources.
    ///
    /// A repair runs all actions that a change would run. At startup the network service starts on its own, and reads
    /// its files then.
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

    /// Compares the interfaces that a service configures with their settings.
    ///
    /// - Returns: the files of interfaces to configure again; differences of other interfaces are added to the result.
    private func differing(
        _ adapter: any Adapter, _ settings: LayeredSettings, _ occasion: Reconciliation.Occasion,
        _ leaving: Set<Resource>, on system: SystemResources, _ result: inout Reconciliation
    ) -> Set<Resource> {
        // At startup the service may not have configured the interface yet.
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

    /// Returns true if a resource is to be written; other findings are added to the result.
    private func judge(
        _ item: DesiredState.Wanted, _ adapter: String, _ known: KnownResource?, _ occasion: Reconciliation.Occasion,
        on system: SystemResources, _ result: inout Reconciliation
    ) -> Bool {
        func tell(_ kind: Drift.Kind) -> Bool {
            if case .repair(let chosen) = occasion, chosen.contains(item.resource) { return true }
            result.drift.append(Drift(resource: item.resource, kind: kind, adapter: adapter, setting: item.path))
            return false
        }
        /// Returns true at startup, when the resource is written without a request; reports it otherwise.
        func write(_ kind: Drift.Kind) -> Bool { occasion == .boot || occasion == .restart ? true : tell(kind) }
        do throws(ResourceError) {
            if case (.interface(let name), .interface(let state)) = (item.resource, item.state), system.isRunning {
                // Other programs may extend an interface, so only the parts that Cleat sets are compared.
                if occasion == .boot { return true }
                // An interface that does not exist is configured when it appears.
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
                // The resource was never managed, or its write was interrupted; otherwise a release wrote it that did
                // not record its state.
                let isOurs = known?.found == nil && known?.hasOrigin == true
                if item.resource.isKernels, occasion == .boot { return true }
                return isOurs && !isMissing ? tell(.changed(now)) : write(isMissing ? .missing : .notApplied)
            }
            if now == found {
                if wanted == known.wanted { return false }
                return holds ? remember() : write(.notApplied)
            }
            if isMissing { return write(.missing) }
            // The owner or mode of a file may differ even if the settings do not name them.
            if holds, !item.resource.isName { return false }
            return item.resource.isKernels && occasion == .boot ? true : tell(.changed(now))
        } catch {
            return tell(.unreadable(error))
        }
    }

    /// Restores resources that nothing wants any more, in reverse order for each adapter.
    private func letGo(
        _ known: [Resource: KnownResource], _ wanted: Set<Resource>, _ busy: Set<String>, _ former: FormerNetwork?,
        _ isComplete: Bool, _ occasion: Reconciliation.Occasion, on system: SystemResources,
        _ result: inout Reconciliation
    ) -> [SystemChange.Part] {
        var steps: [String: [SystemChange.Step]] = [:]
        for (resource, known) in known.sorted(by: { $0.key > $1.key }) where !wanted.contains(resource) {
            guard isComplete, !busy.contains(known.adapter) else { continue }
            if case .interface(let name) = resource, !adapters.contains(where: { $0.name == known.adapter }) {
                // Another service manages the interface now: its origin is of no use, but the record shows which
                // service configured it.
                if former?.heldInterfaces.contains(name) != true, former?.isUnfollowed != true {
                    result.forgotten.append(resource)
                }
                continue
            }
            let isFormer = former?.adapters.contains(known.adapter) ?? false
            if isFormer, former?.stays(occasion) ?? false { continue }
            // After a boot, or for a removed device, nothing remains of the values that were written to the kernel.
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
            // No setting wants it any more, so the step names the path of the adapter's settings.
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
    /// True if it is an interface of the kernel.
    var isInterface: Bool { if case .interface = self { true } else { false } }

    /// True if it is a file that Cleat writes as a whole.
    fileprivate var isFile: Bool {
        switch self {
        case .file, .document: true
        case .link, .line, .attribute, .hostName, .interface: false
        }
    }

    /// True if it is a name in the file system, which can be missing.
    fileprivate var isName: Bool {
        switch self {
        case .file, .link, .document: true
        case .line, .attribute, .hostName, .interface: false
        }
    }
}
