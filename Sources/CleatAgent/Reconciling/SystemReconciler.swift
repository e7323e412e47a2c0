import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore
import SystemPackage

/// Keeps the system and the settings in step outside of changes: at startup, when the board's files are read again, when
/// drift is listed or repaired, when an interface appears, and by retries of failed actions.
///
/// Its callers hold the write lock, except where a method says otherwise.
final class SystemReconciler: EnginePart {
    let live: LiveState
    /// The sync status of the system, as far as it was checked, without that of programs.
    private var own = SyncStatus()
    /// The interfaces that settings name and that were missing at startup.
    private(set) var awaitedInterfaces: Set<String> = []
    /// True if all of the board's files could be read.
    private(set) var areSourcesComplete = true
    /// True if the system has been compared with the settings since startup.
    private(set) var isReconciled = false
    /// True if files are not written, since the settings may be older than they.
    private var leavesFiles = false
    /// True while an update is followed that has replaced the root file system.
    private var isRootReplaced = false
    /// The automatic retries of failed actions.
    private var retries = RetrySchedule()
    /// The sync status of programs, and the automatic retries of those that did not answer.
    var programs = ProgramStatus()

    init(_ live: LiveState) {
        self.live = live
    }

    /// The sync status of the system, as far as it was checked.
    var status: SyncStatus {
        var status = own
        status.drift += programs.drift
        status.unfollowed += programs.unfollowed
        return status
    }

    /// Reconciles the system with the settings at startup.
    ///
    /// Missing values are written, resources that no setting claims any more are restored, outside edits stay and are
    /// reported. A failure is reported, and the other resources are processed.
    ///
    /// - Parameters:
    ///   - occasion: The occasion, which shows if the kernel was restarted, too.
    ///   - isComplete: True if all files could be read; otherwise resources that no setting claims any more stay.
    ///   - leavesFiles: True if files stay as they are, since the settings may be older than they, and only kernel
    ///     state is written.
    ///   - isRootReplaced: True if an update has replaced the root file system: files that are not as the service wrote
    ///     them are then those of the update, and no outside edits.
    /// - Returns: The programs that reload the files, for ``runStartup(_:)``.
    func reconcileAtStartup(
        _ occasion: Reconciliation.Occasion, isComplete: Bool, leavesFiles: Bool, isRootReplaced: Bool = false
    ) async -> [[AdapterAction]] {
        self.leavesFiles = leavesFiles
        self.isRootReplaced = isRootReplaced
        defer { self.isRootReplaced = false }
        isReconciled = true
        // They are listed before the settings are applied, so that none falls between the two.
        var failure: AdapterResult?
        do {
            awaitedInterfaces = try await applier.missingInterfaces(settings)
        } catch {
            failure = AdapterResult(
                adapter: "interfaces", state: .failed,
                message: "the missing interfaces could not be determined: \(error); see 'cleat drift'")
        }
        var actions: [[AdapterAction]]? = []
        await reconcile(occasion, isComplete: isComplete, scope: .withoutPrograms, postponed: &actions)
        if let failure { own.unfollowed.append(failure) }
        return actions ?? []
    }

    /// Runs the programs that reload what was written at startup; without the write lock, since they may wait for
    /// services that are started after this one.
    func runStartup(_ actions: [[AdapterAction]]) async {
        for actions in actions { record(await applier.run(actions).failed, retrying: false) }
    }

    /// Compares the system with the settings, and changes nothing.
    func inspect() async {
        if await followServices() { return }
        await reconcile(.inspect, isComplete: areSourcesComplete)
    }

    /// Inspects the services of the system again; if others run now, changes are made for those from here on.
    ///
    /// Settings that were made under another network service are held then, as after a start.
    ///
    /// - Returns: True if others run now; the system was compared with the settings then.
    @discardableResult
    func followServices() async -> Bool {
        guard transaction == nil, applier.isRunning else { return false }
        do {
            guard let found = try await applier.inspectingServices(isComplete: areSourcesComplete) else { return false }
            live.applier = found
            journal.note(
                .services, generation: reference.generation, author: "cleatd", paths: [],
                result: "interfaces are configured by \(found.adapters.networkAdapter?.name ?? "no known service")")
        } catch {
            // Without a thread, the former ones are used.
            return false
        }
        await reconcile(.inspect, isComplete: areSourcesComplete)
        return true
    }

    /// Compares the system with the settings, and applies what the occasion requires.
    @discardableResult
    func reconcile(
        _ occasion: Reconciliation.Occasion, isComplete: Bool, author: String = "cleatd"
    ) async -> [AdapterResult] {
        var actions: [[AdapterAction]]?
        var results = await reconcile(
            occasion, isComplete: isComplete, author: author, scope: .withoutPrograms, postponed: &actions)
        if await hasPrograms {
            results += await reconcile(
                occasion, isComplete: isComplete, author: author, scope: .programs(only: nil), postponed: &actions)
            if occasion.isStartup, !programs.failing.isEmpty { programs.retries.start(live.services.now()) }
        }
        return results
    }

    /// Compares the system with the settings, and applies what the occasion requires.
    ///
    /// - Parameters:
    ///   - occasion: The occasion of the comparison.
    ///   - isComplete: True if all files could be read.
    ///   - author: The user who requests it.
    ///   - scope: The adapters; the findings of programs are added to those of the others.
    ///   - actions: The actions that adapters want later; nil if they are run at once.
    /// - Returns: The results of the adapters.
    @discardableResult
    func reconcile(
        _ occasion: Reconciliation.Occasion, isComplete: Bool, author: String = "cleatd",
        scope: AdapterSet.Scope, postponed actions: inout [[AdapterAction]]?
    ) async -> [AdapterResult] {
        areSourcesComplete = isComplete
        if live.services.awaitsMount { return [] }
        let isLook = occasion == .inspect
        do {
            var known = try await resources.all()
            var found = try await applier.reconcile(
                settings, known: known, occasion, leaving: onTrial, isComplete: isComplete, scope: scope)
            let replaced = await forgetReplaced(found?.drift ?? [])
            let reset = occasion == .boot ? try await reset(of: found?.drift ?? []) : []
            if !reset.isEmpty || !replaced.isEmpty {
                for resource in replaced { known[resource] = nil }
                for resource in reset { known[resource]?.found = "" }
                found = try await applier.reconcile(
                    settings, known: known, occasion, leaving: onTrial, isComplete: isComplete, scope: scope)
            }
            note(found, scope, occasion)
            guard let found, !isLook else { return [] }
            var results: [AdapterResult] = []
            for part in found.change.parts {
                results += await write(actions == nil ? part : part.withoutActions, known)
                if !part.actions.isEmpty, actions?.contains(part.actions) == false { actions?.append(part.actions) }
            }
            if let words = results.words {
                journal.note(
                    .write, generation: reference.generation, author: author,
                    paths: Array(Set(found.change.parts.flatMap(\.steps).map(\.path.text))).sortedByBytes(),
                    result: "\(occasion.words): \(words)")
            }
            let failures = results.filter { $0.state == .failed }
            if scope == .withoutPrograms { own.unfollowed += failures } else { programs.unfollowed += failures }
            programs.note(failing: failures, occasion)
            try await resources.remember(
                found.found.map {
                    StoredFingerprint(
                        resource: $0.resource.text, adapter: $0.adapter, wanted: $0.wanted, found: $0.found)
                }, origins: try await origins(of: found.found, known), forgetting: found.forgotten.map(\.text))
            return results
        } catch {
            let failure = AdapterResult(
                adapter: "system", state: .failed,
                message: "the system could not be compared with the settings: \(error)")
            own.unfollowed.append(failure)
            return [failure]
        }
    }

    /// Notes the findings of a comparison: drift, and settings that are not followed.
    private func note(_ found: Reconciliation?, _ scope: AdapterSet.Scope, _ occasion: Reconciliation.Occasion) {
        let isLook = occasion == .inspect
        guard case .programs(let only) = scope else {
            own.drift = found?.drift ?? []
            let held = own.drift.filter(\.isHeld).compactMap { $0.setting?.parent?.name }
            live.applier = applier.holding(Set(held))
            guard !isLook || found == nil else { return }
            own.unfollowed =
                found?.problems.map {
                    AdapterResult(
                        adapter: $0.path.text, state: .failed, message: "\($0.path) is not followed: it \($0.reason)")
                } ?? []
            return
        }
        programs.forget(only, drift: true, failures: !isLook || found == nil)
        guard let found else { return }
        programs.drift += found.drift
        programs.note(unreadable: found.drift, occasion)
        guard !isLook else { return }
        let adapters = applier.adapters.only(scope).adapters
        let problems = found.problems.map { problem in
            AdapterResult(
                adapter: adapters.first { $0.follows(problem.path) }?.name ?? problem.path.text, state: .failed,
                message: "\(problem.path) is not followed: it \(problem.reason)")
        }
        programs.unfollowed += problems
        programs.note(failing: problems, occasion)
    }

    /// Forgets what the service has stored of files that an update has replaced; their present states are those that a
    /// restore brings back.
    private func forgetReplaced(_ drifts: [Drift]) async -> [Resource] {
        guard isRootReplaced else { return [] }
        let mounts = try? MountTable.read()
        let replaced = drifts.filter { drift in
            guard !drift.resource.isRuntimeState, let file = drift.resource.path else { return false }
            switch drift.kind {
            case .changed, .released: return RootMark.hasFile(FilePath(file), mounts)
            default: return false
            }
        }.map(\.resource)
        if replaced.isEmpty { return [] }
        do {
            try await resources.remember([], forgetting: replaced.map(\.text))
            return replaced
        } catch {
            // They stay as they are, and are reported as edits.
            journal.note(
                .write, generation: reference.generation, author: "cleatd", paths: [],
                result: "the files of the update stay as they are: \(error)")
            return []
        }
    }

    /// Returns the files that are again as they were before Cleat first wrote them, as on a board whose `/etc` is
    /// created again with each boot: that is not an outside edit, their origins are kept, and they are written again.
    private func reset(of drifts: [Drift]) async throws -> [Resource] {
        var origins: [Memento] = []
        for drift in drifts where !drift.resource.isRuntimeState {
            guard case .changed = drift.kind, let stored = try await store.origin(of: drift.resource.text) else {
                continue
            }
            // If the former state of the file cannot be read, the file stays as it is, which is reported as drift.
            guard let origin = try? Memento(encoded: stored.state) else { continue }
            origins.append(origin)
        }
        return try await applier.verify(origins).filter { $0.state == .same }.map(\.resource)
    }

    /// The resources of the change on trial, which must not be reconciled, and all files if they are not written.
    private var onTrial: Set<Resource> {
        var left = Set(transaction?.touched ?? [])
        if leavesFiles {
            left.formUnion(applier.adapters.managed(settings).map(\.resource).filter { !$0.isRuntimeState })
        }
        return left
    }

    /// Returns the files that are marked as written by Cleat and that the store does not know.
    func unknownFiles() async -> [Resource] {
        // If the store is an in-memory fallback, files that it does not know mean nothing.
        guard !live.services.isFallback, !live.services.isFailsafe, let known = try? await resources.all()
        else { return [] }
        let (applier, touched) = (applier, Set(transaction?.mementos.map(\.resource) ?? []))
        let found = try? await applier.worker.run { applier.system.filesOfCleat(applier.adapters.builtIn) }
        return (found ?? []).filter { known[$0] == nil && !touched.contains($0) }
    }

    // MARK: Retries

    /// Records failed actions, with the last failure of each.
    ///
    /// - Parameters:
    ///   - failed: The failed actions.
    ///   - isRetried: True if they are retried automatically a few times.
    func record(_ failed: [FailedAction], retrying isRetried: Bool = true) {
        guard !failed.isEmpty else { return }
        forget(failed.compactMap(\.failed))
        own.failedActions += failed
        guard isRetried, failed.contains(where: { !$0.actions.isEmpty }) else { return }
        retries.start(live.services.now())
    }

    /// Removes the failures of actions that have succeeded since, or must not be run any more.
    func forget(_ actions: [AdapterAction]) {
        guard !own.failedActions.isEmpty else { return }
        own.failedActions.removeAll { action in
            action.failed.map { failed in actions.contains { $0.supersedes(failed) } } ?? false
        }
    }

    /// Removes the failures that no retry can repair.
    func forgetLost() {
        own.failedActions.removeAll(where: \.actions.isEmpty)
    }

    /// Retries the failed actions; no program must read a half-written file meanwhile.
    ///
    /// - Returns: The results; empty while a change is on trial, since that controls the network for now.
    func retryFailedActions() async -> [AdapterResult] {
        guard transaction == nil else { return [] }
        var results: [AdapterResult] = []
        var done: [[AdapterAction]] = []
        for actions in own.failedActions.map(\.actions) where !actions.isEmpty && !done.contains(actions) {
            done.append(actions)
            let (reported, failed) = await applier.run(actions)
            results += reported
            forget(actions)
            own.failedActions += failed
        }
        return results
    }

    /// The instant of the next automatic retry; nil if there is none.
    var wakeTime: BootTime? { [retries.next, programs.retries.next].compactMap(\.self).min() }

    /// Makes the automatic retries that are due.
    func wake() async {
        await retryPrograms()
        guard let due = retries.next, due <= live.services.now() else { return }
        guard transaction == nil else { return retries.postpone(live.services.now()) }
        _ = await retryFailedActions()
        retries.advance(
            live.services.now(), isNeeded: own.failedActions.contains { !$0.actions.isEmpty })
    }
}

extension Reconciliation.Occasion {
    /// The occasion as text, for the journal.
    fileprivate var words: String {
        switch self {
        case .boot: "at the boot"
        case .restart: "at startup, or when its files were reloaded"
        case .inspect: "when it was compared"
        case .repair: "as it was requested"
        }
    }
}

/// The sync status: how well the system follows the settings.
struct SyncStatus: Sendable {
    /// The drift that the last comparison has found.
    var drift: [Drift] = []
    /// The failures at the last start, or when the board's files were read again.
    var unfollowed: [AdapterResult] = []
    /// The failed actions of a revert, or of a start.
    var failedActions: [FailedAction] = []

    /// All failures.
    var failures: [AdapterResult] { unfollowed + failedActions.map(\.result) }

    /// The number of findings.
    var count: Int { drift.count + unfollowed.count + failedActions.count }
}
