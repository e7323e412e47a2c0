import CleatAPI
package import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Reconciles the system with the settings at startup.
    ///
    /// Missing values are written, resources that no setting claims any more are restored, outside edits stay and are
    /// reported. A failure is reported, and the other resources are processed. The programs that reload the files run
    /// in parallel: they may wait for services that are started after this one.
    ///
    /// - Parameters:
    ///   - occasion: The occasion, which shows if the kernel was restarted, too.
    ///   - isComplete: True if all files could be read; otherwise resources that no setting claims any more stay.
    ///   - leavesFiles: True if files stay as they are, since the settings may be older than they, and only kernel
    ///     state is written.
    package func uphold(
        _ occasion: Reconciliation.Occasion, isComplete: Bool, leavesFiles: Bool = false
    ) async {
        await takeTurn()
        defer { endTurn() }
        self.leavesFiles = leavesFiles
        isUpheld = true
        // They are listed before the settings are applied, so that none falls between the two.
        var failure: CleatAPI.AdapterResult?
        do {
            awaitedInterfaces = try await follower.missingInterfaces(settings)
        } catch {
            failure = CleatAPI.AdapterResult(
                adapter: "interfaces", state: .failed,
                message: "which interfaces are missing could not be determined: \(error); see 'cleat drift'")
        }
        var actions: [[AdapterAction]]? = []
        await reconcile(occasion, isComplete: isComplete, putOff: &actions)
        if let failure { standing.unfollowed.append(failure) }
        guard let actions, !actions.isEmpty else { return }
        startActions = loop.task(name: "actions of the start") { await self.run(actions) }
    }

    private func run(_ actions: [[AdapterAction]]) async {
        for actions in actions { keep(await follower.takeUp(actions).leftovers, retrying: false) }
        startActions = nil
    }

    /// Compares the system with the settings, and applies what the occasion requires; the caller has the turn.
    @discardableResult
    func reconcile(
        _ occasion: Reconciliation.Occasion, isComplete: Bool, author: String = "cleatd"
    ) async -> [CleatAPI.AdapterResult] {
        var actions: [[AdapterAction]]?
        return await reconcile(occasion, isComplete: isComplete, author: author, putOff: &actions)
    }

    /// Compares the system with the settings, and applies what the occasion requires; the caller has the turn.
    ///
    /// - Parameters:
    ///   - occasion: The occasion of the comparison.
    ///   - isComplete: True if all files could be read.
    ///   - author: The user who requests it.
    ///   - actions: The actions that adapters want later; nil if they are run at once.
    /// - Returns: The results of the adapters.
    @discardableResult
    private func reconcile(
        _ occasion: Reconciliation.Occasion, isComplete: Bool, author: String = "cleatd",
        putOff actions: inout [[AdapterAction]]?
    ) async -> [CleatAPI.AdapterResult] {
        areSourcesComplete = isComplete
        let isLook = occasion == .look
        do {
            var known = try await knownResources()
            var found = try await follower.reconcile(
                settings, known: known, occasion, leaving: onTrial, isComplete: isComplete)
            let reset = occasion == .boot ? try await reset(of: found?.drift ?? []) : []
            if !reset.isEmpty {
                for resource in reset { known[resource]?.found = "" }
                found = try await follower.reconcile(
                    settings, known: known, occasion, leaving: onTrial, isComplete: isComplete)
            }
            guard let found else {
                (standing.drift, standing.unfollowed) = ([], [])
                follower = follower.holding([])
                return []
            }
            standing.drift = found.drift
            follower = follower.holding(Set(found.drift.filter(\.isHeld).compactMap { $0.setting?.parent?.name }))
            if isLook { return [] }
            standing.unfollowed = found.problems.map {
                CleatAPI.AdapterResult(
                    adapter: $0.path.text, state: .failed, message: "\($0.path) is not followed: it \($0.reason)")
            }
            var results: [CleatAPI.AdapterResult] = []
            for part in found.change.parts {
                results += await bring(actions == nil ? part : part.withoutActions, known)
                if !part.actions.isEmpty, actions?.contains(part.actions) == false { actions?.append(part.actions) }
            }
            if let words = results.words {
                journal.note(
                    .write, generation: reference.generation, author: author,
                    paths: Set(found.change.parts.flatMap(\.steps).map(\.path.text)).sorted(),
                    result: "\(occasion.words): \(words)")
            }
            standing.unfollowed += results.filter { $0.state == .failed }
            try await store.remember(
                found.found.map {
                    StoredFingerprint(
                        resource: $0.resource.text, adapter: $0.adapter, wanted: $0.wanted, found: $0.found)
                }, origins: try await origins(of: found.found, known), forgetting: found.forgotten.map(\.text))
            return results
        } catch {
            let failure = CleatAPI.AdapterResult(
                adapter: "system", state: .failed,
                message: "the system could not be compared with the settings: \(error)")
            standing.unfollowed.append(failure)
            return [failure]
        }
    }

    /// Returns the files that are again as they were before Cleat first wrote them, as on a board whose `/etc` is
    /// created again with each boot: that is no outside edit, their origins are kept, and they are written again.
    private func reset(of drifts: [Drift]) async throws -> [Resource] {
        var origins: [Memento] = []
        for drift in drifts where !drift.resource.isKernels {
            guard case .changed = drift.kind, let stored = try await store.origin(of: drift.resource.text) else {
                continue
            }
            // If the former state of the file cannot be read, the file stays as it is, which is reported as drift.
            guard let origin = try? Memento(encoded: stored.state) else { continue }
            origins.append(origin)
        }
        return try await follower.verify(origins).filter { $0.state == .same }.map(\.resource)
    }

    /// Returns the problems of a change that would overwrite outside edits.
    func outsideChanges(
        _ change: SystemChange, leaving adopted: Set<Resource>
    ) async throws -> [SettingProblem] {
        guard change.resources.contains(where: { !$0.isKernels }) else { return [] }
        let changed = try await follower.changedOutside(change, known: try await knownResources())
        return changed.compactMap { drift in
            guard !adopted.contains(drift.resource),
                let step = change.parts.flatMap(\.steps).first(where: { $0.resource == drift.resource })
            else { return nil }
            return SettingProblem(
                path: step.path, value: nil, code: .system,
                reason: "would overwrite \(drift.resource), which was edited outside Cleat; keep the edit: cleat adopt "
                    + "\(drift.name); discard it: cleat reapply \(drift.name)")
        }
    }

    /// Returns notes on kernel values that were set outside and that a change overwrites: this is reported, and not
    /// refused, since kernel values change by themselves, too, and are adopted by being set.
    func overwritten(by change: SystemChange, leaving adopted: Set<Resource>) async throws -> [String] {
        guard change.resources.contains(where: \.isKernels) else { return [] }
        return try await follower.overwritten(by: change, known: try await knownResources()).compactMap { drift in
            adopted.contains(drift.resource)
                ? nil : "This change overwrites what somebody else has set: \(drift.sentence)."
        }
    }

    /// The resources of the change on trial, which must not be reconciled, and all files if they are not written.
    private var onTrial: Set<Resource> {
        var left = Set(transaction.map { $0.change.resources + $0.mementos.map(\.resource) } ?? [])
        if leavesFiles {
            left.formUnion(follower.adapters.managed(settings).map(\.resource).filter { !$0.isKernels })
        }
        return left
    }

    /// Returns the stored data of all resources that were ever touched and not released.
    func knownResources() async throws -> [Resource: KnownResource] {
        var known: [Resource: KnownResource] = [:]
        for origin in try await store.origins() {
            guard let resource = Resource(text: origin.resource) else { continue }
            known[resource] = KnownResource(adapter: origin.adapter, hasOrigin: true)
        }
        for print in try await store.fingerprints() {
            guard let resource = Resource(text: print.resource) else { continue }
            known[resource] = KnownResource(
                adapter: print.adapter, wanted: print.wanted, found: print.found,
                hasOrigin: known[resource]?.hasOrigin ?? false)
        }
        return known
    }

    /// Captures resources that have the desired state before Cleat first wrote them: that state is restored later.
    private func origins(
        of found: [Reconciliation.Found], _ known: [Resource: KnownResource]
    ) async throws -> [StoredMemento] {
        let fresh = found.filter { known[$0.resource] == nil }
        if fresh.isEmpty { return [] }
        let (follower, resources) = (follower, fresh.map { ($0.resource, $0.adapter) })
        return try await follower.worker.run {
            try resources.map { StoredMemento(try follower.system.capture($0.0, for: $0.1).asOrigin) }
        }
    }

    /// Brings the resources of one adapter to their desired state, or leaves all of them as they were.
    func bring(
        _ part: SystemChange.Part, _ known: [Resource: KnownResource]
    ) async -> [CleatAPI.AdapterResult] {
        var change = SystemChange(part)
        let released = part.steps.filter(\.bringsOriginBack).map(\.resource)
        let taken = part.steps.filter { !$0.bringsOriginBack }.map(\.resource)
        do {
            change.contents = try await contents(of: change)
            let mementos = try await follower.capture(change)
            let (left, absent) = change.leaving(absentIn: mementos)
            change = left
            let origins = try await origins(for: change)
            // If this is interrupted from here on, it is written again: the store records that it was being written.
            try await store.remember(
                Self.marks(part),
                origins: mementos.filter { taken.contains($0.resource) && !$0.isAbsentInterface }
                    .map { StoredMemento($0.asOrigin) })
            let results = try await follower.apply(change, origins: origins, captured: mementos)
            guard results.contains(where: { $0.state == .failed }) else {
                forget(change.parts.flatMap(\.actions))
                try await store.remember(
                    try await follower.fingerprints(of: change), forgetting: released.map(\.text))
                return results + absent
            }
            let back = try await follower.restore(mementos, from: settings, to: settings, at: [])
            try await store.remember(
                taken.compactMap { resource in
                    guard let known = known[resource], let wanted = known.wanted, let found = known.found else {
                        return nil
                    }
                    return StoredFingerprint(
                        resource: resource.text, adapter: known.adapter, wanted: wanted, found: found)
                }, forgetting: taken.filter { known[$0] == nil }.map(\.text))
            forget(back.actions)
            keep(back.leftovers)
            return results.filter { $0.state == .failed } + back.failures
        } catch {
            return [CleatAPI.AdapterResult(adapter: part.adapter, state: .failed, message: "\(error)")]
        }
    }

    /// Returns marks of the resources that an adapter is about to write; kernel values are set again in any case.
    private static func marks(_ part: SystemChange.Part) -> [StoredFingerprint] {
        part.steps.compactMap { step in
            guard !step.bringsOriginBack, let after = step.after, after != .kept, !step.resource.isKernels else {
                return nil
            }
            return StoredFingerprint(
                resource: step.resource.text, adapter: part.adapter, wanted: after.fingerprint, found: "")
        }
    }
}

extension Reconciliation.Occasion {
    /// The occasion as text, for the journal.
    fileprivate var words: String {
        switch self {
        case .boot: "at the boot"
        case .restart: "at a start of the service, or as its files were read again"
        case .look: "when it was compared"
        case .repair: "as it was asked for"
        }
    }
}
