import CleatAPI
package import CleatAdapters
package import CleatIO
import CleatSettings
import CleatStore

/// Makes the system follow the settings: the adapters, what they change, and the programs that take it up.
///
/// Everything that waits for a disk or the kernel is done on the worker's thread.
package struct SystemFollower: Sendable {
    /// The adapters, in the order in which they are applied.
    package private(set) var adapters: AdapterSet
    let system: SystemResources
    private let facts: SystemFacts
    let runner: ActionRunner
    let worker: Worker
    private let loop: EventLoop

    /// Looks at the system, and makes the adapters for what it has.
    ///
    /// - Parameters:
    ///   - system: the system, without declared files.
    ///   - rules: the adapters of schema files.
    ///   - loop: what programs run on.
    ///   - worker: what waits for the disk and the kernel.
    ///   - touched: what was written before, and may have to be brought back.
    package init(
        of system: SystemResources, rules: [any Adapter], loop: EventLoop, worker: Worker,
        keeping touched: [Resource] = []
    ) {
        self.init(
            system: system, facts: SystemFacts(of: system), rules: rules, loop: loop, worker: worker, keeping: touched)
    }

    private init(
        system: SystemResources, facts: SystemFacts, rules: [any Adapter], loop: EventLoop, worker: Worker,
        keeping touched: [Resource] = []
    ) {
        adapters = .builtIn(facts, and: rules)
        self.facts = facts
        self.system = system.declaring(adapters.files).keeping(touched)
        runner = ActionRunner(on: loop, self.system, worker: worker)
        self.worker = worker
        self.loop = loop
    }

    /// The same system with other rules of schema files.
    package func following(_ rules: [any Adapter], loop: EventLoop) -> SystemFollower {
        SystemFollower(system: system, facts: facts, rules: rules, loop: loop, worker: worker)
    }

    /// The same, for which settings of these interfaces wait until somebody asks for them.
    func holding(_ interfaces: Set<String>) -> SystemFollower {
        var follower = self
        follower.adapters.heldInterfaces = interfaces
        return follower
    }

    /// What of the system could not be looked at, so that settings are not followed.
    var failures: [ResourceError] { facts.failures.sorted { $0.key < $1.key }.map(\.value) }

    /// Whether it is the running system, and not one below another root directory.
    package var isRunning: Bool { system.isRunning }

    /// Takes away what writes that were cut off have left beside the files of the system; called before anything is
    /// written.
    ///
    /// - Returns: how many files there were.
    func sweep() async throws -> Int { try await worker.run { try system.sweep() } }

    /// Whether an adapter follows the setting.
    func follows(_ path: SettingPath) -> Bool { adapters.adapters.contains { $0.follows(path) } }

    /// What changes in the system when these settings change; what is made of those that are rewritten is written anew,
    /// whether it differs or not.
    func change(
        from before: LayeredSettings, to after: LayeredSettings, at paths: [SettingPath], rewriting: [SettingPath] = []
    ) -> SystemChange {
        adapters.change(from: before, to: after, at: paths, rewriting: rewriting)
    }

    /// Why the system cannot follow the settings; nothing is written.
    func problems(
        _ settings: LayeredSettings, _ change: SystemChange, origins: [Resource: Memento]
    ) async throws -> [SettingProblem] {
        guard !change.involved.isEmpty else { return [] }
        return try await worker.run {
            adapters.check(settings, change, on: system.providing(change.contents), origins: origins)
        }
    }

    /// What a change would do, resource by resource, and why resources could not be changed; nothing is written.
    func plan(
        _ change: SystemChange, from before: LayeredSettings, to after: LayeredSettings,
        origins: [Resource: Memento]
    ) async throws -> (
        steps: [CleatAdapters.PlannedStep], actions: [CleatAdapters.PlannedAction], effects: [String],
        problems: [SettingProblem]
    ) {
        guard !change.involved.isEmpty else { return ([], [], [], []) }
        return try await worker.run {
            let plan = adapters.plan(
                change, from: before, to: after, on: system.providing(change.contents), origins: origins)
            let actions = change.parts.flatMap { part in part.actions.map { runner.outlook($0, of: part.adapter) } }
            return (plan.steps, actions, plan.effects, plan.problems)
        }
    }

    /// Compares what there is with what was captured.
    func verify(_ mementos: [Memento]) async throws -> [VerifiedResource] {
        guard !mementos.isEmpty else { return [] }
        return try await worker.run { adapters.verify(mementos, on: system) }
    }

    /// What all touched resources are.
    func capture(_ change: SystemChange) async throws -> [Memento] {
        guard !change.resources.isEmpty else { return [] }
        return try await worker.run { try adapters.capture(change, on: system) }
    }

    /// Applies a change up to the first thing that fails, the programs that take it up included.
    ///
    /// - Parameters:
    ///   - change: what changes.
    ///   - origins: what resources were before Cleat touched them, as far as that is known.
    ///   - captured: what they were right before.
    /// - Returns: what was done; the last one is the failure, where there is one.
    /// - Throws: that no thread could be made for it.
    func apply(
        _ change: SystemChange, origins: [Resource: Memento], captured: [Memento]
    ) async throws -> [CleatAPI.AdapterResult] {
        let system = adapters.batching(change, on: system.providing(change.contents), origins: origins)
        var applied: [CleatAdapters.AdapterResult] = []
        for part in change.parts where applied.last?.isSuccess ?? true {
            applied.append(try await worker.run { adapters.apply(part, on: system, origins: origins) })
        }
        // Before any program takes it up.
        applied = try await worker.run { [applied] in adapters.settle(applied, of: .apply, on: system) }
        var results = applied.map { CleatAPI.AdapterResult($0) }
        guard applied.last?.isSuccess ?? true else { return results }
        for part in change.parts {
            for done in await runner.run(
                part.actions.map { $0.knowing(origins: origins, captured: captured) }, stopsAtFailure: true)
            {
                results.append(CleatAPI.AdapterResult(done, of: part.adapter))
                guard done.isSuccess else { return results }
            }
        }
        return results
    }

    /// Brings back what was captured, and has programs take that up; what fails is told, and the rest goes on.
    ///
    /// It runs to its end, also where who asked for the change has gone, or the service is ending: half of it is worse.
    ///
    /// - Parameters:
    ///   - mementos: what was captured.
    ///   - old: the settings that are given up.
    ///   - new: the settings that hold again.
    ///   - paths: the settings that differ.
    ///   - change: what was applied: the programs of an adapter that is there no more take it up once more.
    /// - Returns: what was done.
    /// - Throws: that no thread could be made for it.
    func restore(
        _ mementos: [Memento], from old: LayeredSettings, to new: LayeredSettings, at paths: [SettingPath],
        after change: SystemChange = SystemChange()
    ) async throws -> Restoration {
        try await loop.task(name: "way back") {
            try await bringBack(mementos, from: old, to: new, at: paths, after: change)
        }.value
    }

    private func bringBack(
        _ mementos: [Memento], from old: LayeredSettings, to new: LayeredSettings, at paths: [SettingPath],
        after change: SystemChange
    ) async throws -> Restoration {
        let restored = try await worker.run { adapters.restore(mementos, on: system) }
        var restoration = Restoration(results: restored.map { CleatAPI.AdapterResult($0) })
        restoration.failures = restoration.results.filter { $0.state == .failed }
        var groups = adapters.actions(afterRestoring: mementos, from: old, to: new, at: paths).map(\.actions)
        let names = Set(adapters.adapters.map(\.name))
        groups += change.parts.filter { !names.contains($0.adapter) && !$0.actions.isEmpty }.map(\.actions)
        for actions in groups.map({ $0.map { $0.knowing(captured: mementos) } }) {
            let (results, leftovers) = await takeUp(actions)
            restoration.actions += actions
            restoration.results += results
            restoration.leftovers += leftovers
        }
        return restoration
    }

    /// Does all that one adapter asks for after its resources have changed; what fails is told, and the rest goes on.
    func takeUp(_ actions: [AdapterAction]) async -> (results: [CleatAPI.AdapterResult], leftovers: [Leftover]) {
        let results = await runner.run(actions, stopsAtFailure: false).map {
            CleatAPI.AdapterResult($0, of: $0.title)
        }
        // What does not stop at a failure has a result for each.
        let leftovers = zip(actions, results).filter { $0.1.state == .failed }.map { action, result in
            Leftover(
                actions: action.subject == nil ? actions : actions.filter { $0.subject == action.subject },
                failed: action, result: result)
        }
        return (results, leftovers)
    }
}

extension CleatAPI.AdapterResult {
    /// Says what came of the resources of one adapter.
    init(_ result: CleatAdapters.AdapterResult) {
        if let error = result.errors.first {
            self.init(adapter: result.adapter, state: .failed, message: error.description)
            return
        }
        var parts: [String] = []
        let (values, files) = (result.written.filter(\.isKernels), result.written.filter { !$0.isKernels })
        if !files.isEmpty { parts.append("wrote \(files.map(\.description).joined(separator: ", "))") }
        if !values.isEmpty { parts.append("set \(values.map(\.description).joined(separator: ", "))") }
        // A line that is only kept where it is there is no news where it is not.
        let skipped = result.skipped.filter { if case .line = $0.resource { false } else { true } }
        if !parts.isEmpty, !skipped.isEmpty, skipped.allSatisfy({ $0.reason == SystemResources.belowRoot }) {
            parts[0] += " (running kernel untouched: --root)"
        } else {
            parts += skipped.map { "left \($0.resource): \($0.reason)" }
        }
        self.init(
            adapter: result.adapter, state: result.written.isEmpty && !parts.isEmpty ? .notApplied : .applied,
            message: parts.isEmpty ? "nothing to do" : parts.joined(separator: "; "))
    }

    /// Says what came of a program that takes a change up.
    init(_ result: ActionResult, of adapter: String) {
        switch result.outcome {
        // A program that runs by itself is told by what it does, once.
        case .done:
            self.init(adapter: adapter, state: .applied, message: "done: \(result.title)")
        case .skipped(let reason):
            self.init(adapter: adapter, state: .notApplied, message: "did not \(result.title): \(reason)")
        case .failed(let reason): self.init(adapter: adapter, state: .failed, message: reason)
        case .needsReboot(let reason):
            self.init(adapter: adapter, state: .applied, message: "in force after the next boot, because \(reason)")
        }
    }
}

extension StoredMemento {
    /// The memento as the store keeps it.
    init(_ memento: Memento) {
        self.init(resource: memento.resource.text, adapter: memento.adapter, state: memento.encoded)
    }
}
