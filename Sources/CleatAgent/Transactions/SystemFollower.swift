import CleatAPI
package import CleatAdapters
package import CleatIO
import CleatSettings
import CleatStore

/// Applies the settings to the system: the adapters, the resources that they write, and the programs that reload them.
///
/// All work that waits for a disk or the kernel runs on the worker's thread.
package struct SystemFollower: Sendable {
    /// The adapters, in the order in which they are applied.
    package private(set) var adapters: AdapterSet
    let system: SystemResources
    private let facts: SystemFacts
    let runner: ActionRunner
    let worker: Worker
    private let loop: EventLoop

    /// Inspects the system, and creates the adapters for it.
    ///
    /// - Parameters:
    ///   - system: The system, without declared files.
    ///   - rules: The adapters of schema files.
    ///   - loop: The event loop that programs run on.
    ///   - worker: The worker for work that waits for the disk and the kernel.
    ///   - touched: The resources that were written before, and may have to be restored.
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

    /// Returns a follower for the same system with other rules of schema files.
    package func following(_ rules: [any Adapter], loop: EventLoop) -> SystemFollower {
        SystemFollower(system: system, facts: facts, rules: rules, loop: loop, worker: worker)
    }

    /// Returns a follower that holds back the settings of these interfaces until a caller applies them.
    func holding(_ interfaces: Set<String>) -> SystemFollower {
        var follower = self
        follower.adapters.heldInterfaces = interfaces
        return follower
    }

    /// The parts of the system that could not be inspected, so that their settings are not followed.
    var failures: [ResourceError] { facts.failures.sorted { $0.key < $1.key }.map(\.value) }

    /// True if it is the running system, and not one below another root directory.
    package var isRunning: Bool { system.isRunning }

    /// Removes the temporary files that interrupted writes have left next to the files of the system; called before
    /// anything is written.
    ///
    /// - Returns: The number of removed files.
    func sweep() async throws -> Int { try await worker.run { try system.sweep() } }

    /// Returns true if an adapter follows the setting.
    func follows(_ path: SettingPath) -> Bool { adapters.adapters.contains { $0.follows(path) } }

    /// Returns the changes of the system for a change of settings; the resources of rewritten settings are written even
    /// if they do not differ.
    func change(
        from before: LayeredSettings, to after: LayeredSettings, at paths: [SettingPath], rewriting: [SettingPath] = []
    ) -> SystemChange {
        adapters.change(from: before, to: after, at: paths, rewriting: rewriting)
    }

    /// Returns the problems that keep the system from following the settings; nothing is written.
    func problems(
        _ settings: LayeredSettings, _ change: SystemChange, origins: [Resource: Memento]
    ) async throws -> [SettingProblem] {
        guard !change.involved.isEmpty else { return [] }
        return try await worker.run {
            adapters.check(settings, change, on: system.providing(change.contents), origins: origins)
        }
    }

    /// Returns the effects of a change, resource by resource, and the obstacles; nothing is written.
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

    /// Compares resources with their captured states.
    func verify(_ mementos: [Memento]) async throws -> [VerifiedResource] {
        guard !mementos.isEmpty else { return [] }
        return try await worker.run { adapters.verify(mementos, on: system) }
    }

    /// Captures the present states of all touched resources.
    func capture(_ change: SystemChange) async throws -> [Memento] {
        guard !change.resources.isEmpty else { return [] }
        return try await worker.run { try adapters.capture(change, on: system) }
    }

    /// Applies a change up to the first failure, including the programs that reload it.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - origins: The states of resources before Cleat first touched them, as far as they are known.
    ///   - captured: The states right before the change.
    /// - Returns: The results; the last one is the failure, if there is one.
    /// - Throws: An error if no thread could be created for it.
    func apply(
        _ change: SystemChange, origins: [Resource: Memento], captured: [Memento]
    ) async throws -> [CleatAPI.AdapterResult] {
        let system = adapters.batching(change, on: system.providing(change.contents), origins: origins)
        var applied: [CleatAdapters.AdapterResult] = []
        for part in change.parts where applied.last?.isSuccess ?? true {
            applied.append(try await worker.run { adapters.apply(part, on: system, origins: origins) })
        }
        // This comes before any program reloads the files.
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

    /// Restores captured resources, and runs the programs that reload them; a failure is reported, and the rest
    /// continues.
    ///
    /// It runs to its end, even if the caller has disconnected, or the service is ending: a partial restore is worse.
    ///
    /// - Parameters:
    ///   - mementos: The captured states.
    ///   - old: The settings that are reverted.
    ///   - new: The settings that are in force again.
    ///   - paths: The settings that differ.
    ///   - change: The change that was applied: the programs of adapters that no longer exist are run once more.
    /// - Returns: The outcome.
    /// - Throws: An error if no thread could be created for it.
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

    /// Runs all actions of one adapter after its resources have changed; a failure is reported, and the rest continues.
    func takeUp(_ actions: [AdapterAction]) async -> (results: [CleatAPI.AdapterResult], leftovers: [Leftover]) {
        let results = await runner.run(actions, stopsAtFailure: false).map {
            CleatAPI.AdapterResult($0, of: $0.title)
        }
        // A run that does not stop at a failure has a result for each action.
        let leftovers = zip(actions, results).filter { $0.1.state == .failed }.map { action, result in
            Leftover(
                actions: action.subject == nil ? actions : actions.filter { $0.subject == action.subject },
                failed: action, result: result)
        }
        return (results, leftovers)
    }
}

extension CleatAPI.AdapterResult {
    /// Describes the outcome for the resources of one adapter.
    init(_ result: CleatAdapters.AdapterResult) {
        if let error = result.errors.first {
            self.init(adapter: result.adapter, state: .failed, message: error.description)
            return
        }
        var parts: [String] = []
        let (values, files) = (result.written.filter(\.isKernels), result.written.filter { !$0.isKernels })
        if !files.isEmpty { parts.append("wrote \(files.map(\.description).joined(separator: ", "))") }
        if !values.isEmpty { parts.append("set \(values.map(\.description).joined(separator: ", "))") }
        // A line that is only updated if it is present is not reported if it is missing.
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

    /// Describes the outcome of an action that reloads a change.
    init(_ result: ActionResult, of adapter: String) {
        switch result.outcome {
        // A program that runs by itself is described by its result, once.
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
    /// Creates the memento in the store's format.
    init(_ memento: Memento) {
        self.init(resource: memento.resource.text, adapter: memento.adapter, state: memento.encoded)
    }
}
