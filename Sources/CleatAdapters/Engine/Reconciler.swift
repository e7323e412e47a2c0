import CleatOrder
internal import CleatSettings

/// Compares the system with its desired state by the settings, resource by resource; the system is only read.
struct Reconciler {
    /// The inputs of a comparison.
    struct Input {
        /// The settings in force.
        let settings: LayeredSettings
        /// The records of the resources that Cleat manages.
        let known: [Resource: KnownResource]
        /// The reason for the comparison.
        let occasion: Reconciliation.Occasion
        /// True if all sources of settings and adapters were read; if not, unwanted resources are kept.
        let isComplete: Bool
    }

    private let adapters: AdapterSet
    private let input: Input
    private let system: SystemResources
    private let former: FormerNetwork?
    private var result = Reconciliation()

    init(_ adapters: AdapterSet, _ input: Input, on system: SystemResources) {
        self.adapters = adapters
        self.input = input
        self.system = system
        former = system.isRunning ? adapters.formerNetwork(input.settings, input.known) : nil
    }

    private var settings: LayeredSettings { input.settings }
    private var occasion: Reconciliation.Occasion { input.occasion }

    /// Compares all resources.
    ///
    /// - Parameter leaving: resources that are not compared: those of a change on trial.
    /// - Returns: the change to make, and the findings to report.
    mutating func reconcile(leaving: Set<Resource>) -> Reconciliation {
        var wanted: Set<Resource> = leaving
        var busy: Set<String> = []
        var steps: [(adapter: any Adapter, steps: [ResourceChange])] = []
        for adapter in adapters.adapters {
            let desired = adapters.desired(settings, of: adapter)
            // Two adapters that want one resource are refused when a setting is set; for defaults the first one counts.
            let own = desired.wanted.filter { wanted.insert($0.resource).inserted }
            // Its other wishes are still followed; a resource that it no longer wants may be the one with the problem.
            if !desired.problems.isEmpty { busy.insert(adapter.name) }
            let written = writes(of: own, by: adapter, leaving)
            if written.isEmpty { result.problems += desired.problems } else { steps.append((adapter, written)) }
        }
        var parts = releases(besides: wanted, busy)
        for (adapter, steps) in steps {
            if let part = part(of: adapter, steps) { parts.append(part) }
        }
        result.change = SystemChange(parts: parts, notes: [])
        return result
    }

    /// Returns the steps that write resources of one adapter, in the order in which they are applied.
    private mutating func writes(
        of own: [DesiredState.Wanted], by adapter: any Adapter, _ leaving: Set<Resource>
    ) -> [ResourceChange] {
        func step(_ item: DesiredState.Wanted, resets: Bool = false) -> ResourceChange {
            ResourceChange(
                resource: item.resource, before: nil, after: item.state, path: item.path, resets: resets)
        }
        var written: [ResourceChange] = []
        for item in own where item.state != .kept {
            if let former, former.held.contains(item.resource) {
                if item.resource.isPartOfFile {
                    // It is changed together with the file of its interface.
                    if written.contains(where: { $0.path.parent == item.path.parent }) { written.append(step(item)) }
                    continue
                }
                guard occasion.repairs(item.resource) else {
                    result.drift.append(
                        Drift(
                            resource: item.resource, kind: .held(former: former.name), adapter: adapter.name,
                            setting: item.path))
                    continue
                }
                written.append(step(item))
                continue
            }
            let isTakenAlong = item.leader.map { leader in written.contains { $0.resource == leader } } ?? false
            guard mustWrite(item, adapter.name) || isTakenAlong else { continue }
            var resets = false
            if case .repair = occasion { resets = item.resource.handler.isWholeFile }
            written.append(step(item, resets: resets))
        }
        let unlike = differing(adapter, leaving.union(former?.held ?? []))
        for item in own
        where unlike.contains(item.resource) && !written.contains(where: { $0.resource == item.resource }) {
            written.append(step(item))
        }
        // The state of a kept resource must be captured before the first write of the resource that changes it; an
        // interface is captured before each write, so that every revert restores it.
        for item in own where item.state == .kept {
            guard item.resource.isInterface || input.known[item.resource]?.hasOrigin != true else { continue }
            guard written.contains(where: { $0.path.parent == item.path.parent }) else { continue }
            written.append(step(item))
        }
        return written
    }

    /// Returns the part of the change for one adapter; nil if all of its steps are refused.
    private mutating func part(of adapter: any Adapter, _ steps: [ResourceChange]) -> SystemChange.Part? {
        let desired = adapters.desired(settings, of: adapter)
        var problems = adapter.check(
            settings, desired, on: system.knowing { [known = input.known] in known[$0] != nil })
        // A value that cannot be set must not block the others, and is reported by its setting.
        let others = desired.wanted.filter { other in
            !steps.contains { $0.resource == other.resource }
        }
        for other in others where system.isGone(other.resource) {
            problems.append(
                SettingProblem(
                    path: other.path, value: nil, code: .system, reason: SystemResources.absence(of: other.resource)))
        }
        for step in steps {
            guard let missing = system.missingRight(to: step) else { continue }
            problems.append(SettingProblem(path: step.path, value: nil, code: .system, reason: missing))
        }
        result.problems += problems
        // A program gets all of its settings in one call.
        if adapter is ProgramAdapter, !problems.isEmpty { return nil }
        let refused = Set(problems.map(\.path))
        let steps = steps.filter { !refused.contains($0.path) }
        if steps.isEmpty { return nil }
        return SystemChange.Part(
            adapter: adapter.name, steps: steps, actions: actions(of: adapter, for: steps),
            timeLimit: adapter.timeLimit)
    }

    /// Returns the actions that reload rewritten resources.
    ///
    /// A repair runs all actions that a change would run. At startup the network service starts on its own, and reads
    /// its files then.
    private func actions(of adapter: any Adapter, for steps: [ResourceChange]) -> [AdapterAction] {
        let changed = Set(steps.map(\.resource))
        guard case .repair = occasion else { return adapter.actions(from: nil, to: settings, changed: changed) }
        let fresh = steps.filter { former?.held.contains($0.resource) ?? false }.compactMap(\.path.parent)
            .flatMap { settings.inForce(under: $0).map(\.path) }
        return adapter.actions(
            from: fresh.isEmpty ? settings : settings.forgetting(fresh), to: settings, changed: changed)
    }

    /// Compares the interfaces that a service configures with their settings.
    ///
    /// - Returns: the files of interfaces to configure again; differences of other interfaces are added to the result.
    private mutating func differing(_ adapter: any Adapter, _ leaving: Set<Resource>) -> Set<Resource> {
        // At startup the service may not have configured the interface yet.
        if occasion.isStartup { return [] }
        guard let adapter = adapter as? any NetworkAdapter, system.isRunning else { return [] }
        var files: Set<Resource> = []
        for interface in adapter.configured(settings) where leaving.isDisjoint(with: interface.files) {
            let resource = Resource.interface(interface.name)
            let kind: Drift.Kind
            do throws(ResourceError) {
                guard interface.isUsed(on: system), let differences = try interface.differences(on: system),
                    !differences.isEmpty
                else { continue }
                if occasion.repairs(resource) {
                    files.formUnion(interface.files)
                    continue
                }
                kind = .differs(differences)
            } catch {
                kind = .unreadable(error)
            }
            result.drift.append(
                Drift(
                    resource: resource, kind: kind, adapter: adapter.name,
                    setting: InterfaceSettings.reason(for: interface.path, settings)))
        }
        return files
    }

    /// Returns true if a resource is to be written; other findings are added to the result.
    private mutating func mustWrite(_ item: DesiredState.Wanted, _ adapter: String) -> Bool {
        do throws(ResourceError) {
            if case (.interface(let name), .interface(let state)) = (item.resource, item.state), system.isRunning {
                // Other programs may extend an interface, so only the parts that Cleat sets are compared.
                if occasion == .boot { return true }
                // An interface that does not exist is configured when it appears.
                let differences = try InterfaceResource(name: name).differences(from: state, on: system) ?? []
                return differences.isEmpty ? false : report(.differs(differences), item, adapter)
            }
            guard let now = try system.fingerprint(of: item.resource) else { return false }
            let wanted = item.state.fingerprint
            let record = input.known[item.resource]
            // What is found of a virtual link may be without members that exist by now.
            if let record, record.found == now, record.wanted == wanted, !item.resource.isVirtualLink { return false }
            let holds = try system.holds(item.state, item.resource)
            if case (.virtualLink(let name), .text(let text)) = (item.resource, item.state),
                let link = VirtualLink(text),
                !holds, record?.found?.isEmpty == false, !occasion.isStartup
            {
                return report(
                    .differs(try VirtualLinkResource(name: name).differences(from: link, on: system)), item, adapter)
            }
            let isMissing = now == SystemResources.absentFingerprint && item.resource.handler.isFileName
            guard let found = record?.found, !found.isEmpty else {
                if holds { return remember(item, adapter, wanted, now) }
                // The resource was never managed, or its write was interrupted; otherwise its state was not recorded.
                let isOurs = record?.found == nil && record?.hasOrigin == true
                if item.resource.isRuntimeState, occasion == .boot { return true }
                return isOurs && !isMissing
                    ? report(.changed(now), item, adapter)
                    : writeAtStartup(isMissing ? .missing : .notApplied, item, adapter)
            }
            if now == found {
                return holds ? remember(item, adapter, wanted, now) : writeAtStartup(.notApplied, item, adapter)
            }
            if isMissing { return writeAtStartup(.missing, item, adapter) }
            // The owner or mode of a file may differ even if the settings do not name them.
            if holds, !item.resource.handler.isFileName { return false }
            return item.resource.isRuntimeState && occasion == .boot ? true : report(.changed(now), item, adapter)
        } catch {
            return report(.unreadable(error), item, adapter)
        }
    }

    /// Returns true if a repair of the resource was requested; reports the difference otherwise.
    private mutating func report(_ kind: Drift.Kind, _ item: DesiredState.Wanted, _ adapter: String) -> Bool {
        if occasion.repairs(item.resource) { return true }
        let setting = InterfaceSettings.reason(for: item.path, settings)
        result.drift.append(Drift(resource: item.resource, kind: kind, adapter: adapter, setting: setting))
        return false
    }

    /// Returns true at startup, when the resource is written without a request; reports the difference otherwise.
    private mutating func writeAtStartup(_ kind: Drift.Kind, _ item: DesiredState.Wanted, _ adapter: String) -> Bool {
        occasion.isStartup ? true : report(kind, item, adapter)
    }

    /// Adds a resource with its desired state to the result, to be recorded; returns false.
    private mutating func remember(
        _ item: DesiredState.Wanted, _ adapter: String, _ wanted: String, _ found: String
    ) -> Bool {
        result.found.append(
            Reconciliation.Found(resource: item.resource, adapter: adapter, wanted: wanted, found: found))
        return false
    }

    /// Returns the parts that restore resources that nothing wants any more, in reverse order for each adapter.
    private mutating func releases(besides wanted: Set<Resource>, _ busy: Set<String>) -> [SystemChange.Part] {
        var steps: [String: [ResourceChange]] = [:]
        let unwanted = input.known.filter { !wanted.contains($0.key) }
        for (resource, known) in unwanted.ordered(by: { $0.key > $1.key }) {
            guard input.isComplete, !busy.contains(known.adapter), isReleased(resource, known) else { continue }
            // No setting wants it any more, so the step names the path of the adapter's settings.
            guard let path = adapters.prefix(of: known.adapter) else { continue }
            steps[known.adapter, default: []].append(
                ResourceChange(resource: resource, before: nil, after: nil, path: path))
        }
        return steps.ordered { $0.key < $1.key }.map { name, steps in
            let adapter = adapters[name]
            return SystemChange.Part(
                adapter: name, steps: steps,
                actions: adapter?.actions(from: nil, to: settings, changed: Set(steps.map(\.resource))) ?? [],
                timeLimit: adapter?.timeLimit ?? .seconds(10))
        }
    }

    /// Returns true if an unwanted resource is restored now; other findings are added to the result.
    private mutating func isReleased(_ resource: Resource, _ known: KnownResource) -> Bool {
        if case .interface(let name) = resource, adapters[known.adapter] == nil {
            // Another service manages the interface now: its origin is of no use, but the record shows which service
            // configured it.
            if former?.heldInterfaces.contains(name) != true, former?.isUnfollowed != true {
                result.forgotten.append(resource)
            }
            return false
        }
        let isFormer = former?.adapters.contains(known.adapter) ?? false
        if isFormer, former?.stays(occasion) ?? false { return false }
        // After a boot, or for a removed device, nothing remains of the values that were written to the kernel.
        // The state of a program may outlast a boot.
        let isLost = resource.isRuntimeState && !resource.isProgram && occasion == .boot
        guard known.hasOrigin, !isLost, !system.isGone(resource) else {
            result.forgotten.append(resource)
            return false
        }
        let kind: Drift.Kind
        do throws(ResourceError) {
            let now = try system.fingerprint(of: resource)
            let isChanged = now != nil && known.found.map { !$0.isEmpty && $0 != now } ?? false
            var isChosen = occasion.isStartup && !isChanged
            if case .repair = occasion { isChosen = isFormer || occasion.repairs(resource) }
            if isChosen { return true }
            kind = .released(now ?? "")
        } catch {
            kind = .unreadable(error)
        }
        result.drift.append(Drift(resource: resource, kind: kind, adapter: known.adapter))
        return false
    }
}
