import CleatAPI
package import CleatAdapters
package import CleatIO
import CleatOrder
import CleatSettings
import CleatStore
package import SystemPackage

/// Applies the settings to the system: the adapters, the resources that they write, and the programs that reload them.
///
/// All work that waits for a disk or the kernel runs on the worker's thread.
package final class SystemApplier: Sendable {
    /// The adapters, in the order in which they are applied.
    package let adapters: AdapterSet
    let system: SystemResources
    private let facts: SystemFacts
    /// The adapters of schema files and of programs.
    private let rules: [any Adapter]
    let runner: ActionRunner
    let worker: Worker
    /// The worker on which programs are asked whether they answer.
    let probing: Worker
    let loop: EventLoop
    /// The directory for contents that programs check; nil if no adapter has such a program.
    let staging: FilePath?

    /// Inspects the system, and creates the adapters for it.
    ///
    /// - Parameters:
    ///   - system: The system, without declared files.
    ///   - rules: The adapters of schema files and of programs.
    ///   - loop: The event loop that programs run on.
    ///   - workers: The worker for work that waits for the disk, the kernel and programs, and the one on which programs
    ///     are asked whether they answer.
    ///   - staging: The directory for contents that programs check, below the runtime directory.
    ///   - isComplete: True if all files could be read.
    ///   - touched: The resources that were written before, and may have to be restored.
    package convenience init(
        of system: SystemResources, rules: [any Adapter], loop: EventLoop, workers: (main: Worker, probing: Worker),
        staging: FilePath, isComplete: Bool = true, keeping touched: [Resource] = []
    ) {
        self.init(
            system: system, facts: SystemFacts(of: system), rules: rules, loop: loop, workers: workers,
            staging: staging, isComplete: isComplete, keeping: touched)
    }

    private init(
        system: SystemResources, facts: SystemFacts, rules: [any Adapter], loop: EventLoop,
        workers: (main: Worker, probing: Worker), staging: FilePath?, isComplete: Bool,
        keeping touched: [Resource] = []
    ) {
        self.staging = staging
        let adapters = AdapterSet.builtIn(facts, and: rules)
        (self.adapters, self.facts, self.rules) = (adapters, facts, rules)
        self.system = system.declaring(adapters.files).keeping(touched)
            .hosting(adapters.programs, isComplete: isComplete)
        runner = ActionRunner(on: loop, self.system, worker: workers.main)
        (worker, probing) = workers
        self.loop = loop
    }

    /// Creates an applier for settings that only programs follow.
    ///
    /// - Throws: The reason why the root directory could not be opened.
    package init(following programs: [ProgramAdapter], loop: EventLoop, worker: Worker) throws(ResourceError) {
        adapters = AdapterSet(programs)
        (facts, rules) = (SystemFacts(), programs)
        system = try SystemResources(root: nil).hosting(adapters.programs)
        runner = ActionRunner(on: loop, system, worker: worker)
        (self.worker, probing) = (worker, Worker(name: "programs", idleExit: .seconds(1)))
        (self.loop, staging) = (loop, nil)
    }

    /// Returns an applier for the same system with other rules of schema files, and other programs.
    package func replacing(rules: [any Adapter], isComplete: Bool = true) -> SystemApplier {
        SystemApplier(
            system: system, facts: facts, rules: rules, loop: loop, workers: (worker, probing), staging: staging,
            isComplete: isComplete)
    }

    /// Inspects the system again.
    ///
    /// - Parameter isComplete: True if all of the board's files could be read.
    /// - Returns: An applier for the services that run now; nil if they are the same.
    /// - Throws: An error if no thread could be created for it.
    func inspectingServices(isComplete: Bool) async throws -> SystemApplier? {
        let (system, former) = (system, facts)
        guard
            let facts = try await worker.run({
                let facts = SystemFacts(of: system)
                return facts == former ? nil : facts
            })
        else { return nil }
        return SystemApplier(
            system: system, facts: facts, rules: rules, loop: loop, workers: (worker, probing),
            staging: staging, isComplete: isComplete)
    }

    /// Returns an applier that holds back the settings of these interfaces until a caller applies them.
    func holding(_ interfaces: Set<String>) -> SystemApplier {
        adapters.heldInterfaces == interfaces ? self : SystemApplier(self, holding: interfaces)
    }

    private init(_ former: SystemApplier, holding interfaces: Set<String>) {
        var adapters = former.adapters
        adapters.heldInterfaces = interfaces
        (self.adapters, system, facts, rules) = (adapters, former.system, former.facts, former.rules)
        (runner, worker, probing, loop) = (former.runner, former.worker, former.probing, former.loop)
        staging = former.staging
    }

    /// The parts of the system that could not be inspected, so that their settings are not followed.
    var failures: [ResourceError] { facts.failures.ordered { $0.key < $1.key }.map(\.value) }

    /// The units that are enabled at the same time although only one of them is used, by the settings that they follow.
    var rivals: [SettingPath: [String]] { facts.rivals }

    /// True if it is the running system, and not one below another root directory.
    package var isRunning: Bool { system.isRunning }

    /// Removes the temporary files that interrupted writes have left next to the files of the system; called before
    /// anything is written.
    ///
    /// - Returns: The number of removed files.
    func sweep() async throws -> Int { try await worker.run { [self] in try system.sweep() } }

    /// Returns true if an adapter follows the setting.
    func follows(_ path: SettingPath) -> Bool { adapters.follows(path) }

    /// Returns the changes of the system for a change of settings; the resources of rewritten settings are written even
    /// if they do not differ.
    func change(
        from before: LayeredSettings, to after: LayeredSettings, at paths: [SettingPath], rewriting: [SettingPath] = []
    ) -> SystemChange {
        adapters.change(from: before, to: after, at: paths, rewriting: rewriting)
    }

    /// The findings about a change before it is made.
    struct Examination: Sendable {
        /// The problems that keep the system from following the settings.
        var problems: [SettingProblem] = []
        /// The files and links that the change writes and that were edited outside since they were written.
        var edited: [Drift] = []
        /// The kernel values that the change modifies and that were set outside since they were written.
        var overwritten: [Drift] = []
    }

    /// Examines a change, in one slice; nothing is written.
    func examine(
        _ change: SystemChange, to settings: LayeredSettings, origins: [Resource: Memento],
        known: [Resource: KnownResource]
    ) async throws -> Examination {
        guard !change.involved.isEmpty || !change.resources.isEmpty else { return Examination() }
        var files: [Resource: String] = [:]
        var values: [Resource: String] = [:]
        for resource in change.resources {
            guard let found = known[resource]?.found, !found.isEmpty else { continue }
            if resource.isRuntimeState { values[resource] = found } else { files[resource] = found }
        }
        let hasValues = change.resources.contains(where: \.isRuntimeState)
        return try await worker.run { [self, files, values] in
            var found = Examination()
            if !change.involved.isEmpty {
                found.problems = adapters.check(
                    settings, change, on: system.providing(change.contents).knowing { known[$0] != nil },
                    origins: origins)
            }
            if !files.isEmpty {
                found.edited = system.drift(of: files).filter {
                    if case .changed(let now) = $0.kind { now != SystemResources.absentFingerprint } else { false }
                }
            }
            if hasValues { found.overwritten = system.overwritten(by: change, prints: values) }
            return found
        }
    }

    /// Returns the effects of a change, resource by resource, and the obstacles; nothing is written.
    func plan(
        _ change: SystemChange, from before: LayeredSettings, to after: LayeredSettings,
        origins: [Resource: Memento]
    ) async throws -> (
        steps: [PlannedStep], actions: [PlannedAction], effects: [String],
        problems: [SettingProblem]
    ) {
        guard !change.involved.isEmpty else { return ([], [], [], []) }
        return try await worker.run { [self] in
            let plan = adapters.plan(
                change, from: before, to: after, on: system.providing(change.contents), origins: origins)
            let actions = change.parts.flatMap { part in part.actions.map { runner.outlook($0, of: part.adapter) } }
            return (plan.steps, actions, plan.effects, plan.problems)
        }
    }

    /// Compares resources with their captured states.
    func verify(_ mementos: [Memento]) async throws -> [VerifiedResource] {
        guard !mementos.isEmpty else { return [] }
        return try await worker.run { [self] in system.verify(mementos) }
    }

    /// Captures the present states of all touched resources.
    func capture(_ change: SystemChange) async throws -> [Memento] {
        guard !change.resources.isEmpty else { return [] }
        return try await worker.run { [self] in try adapters.applier.capture(change, on: system) }
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
    ) async throws -> [AdapterResult] {
        let system = adapters.applier.batching(change, on: system.providing(change.contents), origins: origins)
        var applied: [AdapterOutcome] = []
        for (index, part) in change.parts.enumerated() {
            applied = try await worker.run { [self, applied] in
                let applied = applied + [adapters.applier.apply(part, on: system, origins: origins)]
                let isLast = index == change.parts.count - 1 || applied.last?.isSuccess == false
                // This comes before any program reloads the files.
                return isLast ? adapters.applier.makeDurable(applied, of: .apply, on: system) : applied
            }
            if applied.last?.isSuccess == false { break }
        }
        var results = applied.flatMap { AdapterResult.results($0) }
        guard applied.last?.isSuccess ?? true else { return results }
        for part in change.parts {
            for done in await runner.run(
                part.actions.map { $0.knowing(origins: origins, captured: captured) }, stopsAtFailure: true)
            {
                results.append(AdapterResult(done, of: part.adapter))
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
    ///   - defersPrograms: True if the states of programs are not restored now, and count as failures.
    /// - Returns: The outcome.
    /// - Throws: An error if no thread could be created for it.
    func restore(
        _ mementos: [Memento], from old: LayeredSettings, to new: LayeredSettings, at paths: [SettingPath],
        after change: SystemChange = SystemChange(), defersPrograms: Bool = false
    ) async throws -> Restoration {
        try await loop.task(name: "restore") { [self] in
            // Programs come last, so that one that hangs holds up nothing else.
            let programs = mementos.filter(\.resource.isProgram)
            let others = programs.isEmpty ? mementos : mementos.filter { !$0.resource.isProgram }
            var restoration = try await restoreAll(others, from: old, to: new, at: paths, after: change)
            guard !programs.isEmpty else { return restoration }
            let results: [AdapterResult]
            if defersPrograms {
                results = programs.map { memento in
                    AdapterResult(
                        adapter: memento.adapter, state: .failed,
                        message: "\(memento.resource) is restored once the service has started.")
                }
            } else {
                let restored = try await worker.run { [self] in adapters.applier.restore(programs, on: system) }
                results = restored.flatMap { AdapterResult.results($0) }
            }
            restoration.results += results
            restoration.failures += results.filter { $0.state == .failed }
            return restoration
        }.value
    }

    private func restoreAll(
        _ mementos: [Memento], from old: LayeredSettings, to new: LayeredSettings, at paths: [SettingPath],
        after change: SystemChange
    ) async throws -> Restoration {
        let restored = try await worker.run { [self] in adapters.applier.restore(mementos, on: system) }
        var restoration = Restoration(results: restored.flatMap { AdapterResult.results($0) })
        restoration.failures = restoration.results.filter { $0.state == .failed }
        var groups = adapters.actions(afterRestoring: mementos, from: old, to: new, at: paths).map(\.actions)
        let names = Set(adapters.adapters.map(\.name))
        groups += change.parts.filter { !names.contains($0.adapter) && !$0.actions.isEmpty }.map(\.actions)
        for actions in groups.map({ $0.map { $0.knowing(captured: mementos) } }) {
            let (results, failed) = await run(actions)
            restoration.actions += actions
            restoration.results += results
            restoration.failedActions += failed
        }
        return restoration
    }

    /// Runs all actions of one adapter after its resources have changed; a failure is reported, and the rest continues.
    func run(
        _ actions: [AdapterAction]
    ) async -> (results: [AdapterResult], failed: [FailedAction]) {
        let results = await runner.run(actions, stopsAtFailure: false).map {
            AdapterResult($0, of: $0.title)
        }
        // A run that does not stop at a failure has a result for each action.
        let failed = zip(actions, results).filter { $0.1.state == .failed }.map { action, result in
            FailedAction(
                actions: action.subject == nil ? actions : actions.filter { $0.subject == action.subject },
                failed: action, result: result)
        }
        return (results, failed)
    }
}

extension AdapterResult {
    /// Describes the outcome for the resources of one adapter: one result for each file or value that was changed, and
    /// for each skipped one; after a failure only that.
    static func results(_ result: AdapterOutcome) -> [AdapterResult] {
        let adapter = result.adapter
        if let error = result.errors.first {
            return [.init(adapter: adapter, state: .failed, message: error.description)]
        }
        var results = result.written.map { resource in
            let verb = resource.isRuntimeState ? "set" : result.removed.contains(resource) ? "removed" : "wrote"
            return Self(adapter: adapter, state: .applied, message: "\(verb) \(resource)")
        }
        let state: State = result.written.isEmpty ? .notApplied : .applied
        for skipped in result.skipped {
            // A part that is only changed if it is there is not reported if it is missing.
            if skipped.resource.isPartOfFile { continue }
            if skipped.reason == SystemResources.belowRoot {
                if results.last?.message == skipped.reason { continue }
                results.append(.init(adapter: adapter, state: state, level: .normal, message: skipped.reason))
            } else {
                results.append(
                    .init(
                        adapter: adapter, state: state, level: skipped.isUnmet ? .warning : .detail,
                        message: "skipped \(skipped.resource): \(skipped.reason)"))
            }
        }
        return results.isEmpty
            ? [.init(adapter: adapter, state: .applied, level: .detail, message: "nothing to do")] : results
    }

    /// Describes the outcome of an action that reloads a change.
    init(_ result: ActionResult, of adapter: String) {
        switch result.outcome {
        // A program that runs by itself is described by its result, once.
        case .done:
            self.init(adapter: adapter, state: .applied, level: .detail, message: "done: \(result.title)")
        case .skipped(let reason):
            self.init(
                adapter: adapter, state: .notApplied, level: .detail, message: "did not \(result.title): \(reason)")
        case .waiting(let reason):
            self.init(adapter: adapter, state: .notApplied, message: "did not \(result.title): \(reason)")
        case .failed(let reason): self.init(adapter: adapter, state: .failed, message: reason)
        case .needsReboot(let reason):
            self.init(
                adapter: adapter, state: .applied, level: .warning,
                message: "in force after the next boot, because \(reason)")
        }
    }
}

extension StoredMemento {
    /// Creates the memento in the store's format.
    init(_ memento: Memento) {
        self.init(resource: memento.resource.text, adapter: memento.adapter, state: memento.encoded)
    }
}
