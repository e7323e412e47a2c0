import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

extension SystemReconciler {
    /// Captures resources that have the desired state before Cleat first wrote them: that state is restored later.
    func origins(
        of found: [Reconciliation.Found], _ known: [Resource: KnownResource]
    ) async throws -> [StoredMemento] {
        let fresh = found.filter { known[$0.resource] == nil }
        if fresh.isEmpty { return [] }
        let (applier, resources) = (applier, fresh.map { ($0.resource, $0.adapter) })
        return try await applier.worker.run {
            try resources.map { StoredMemento(try applier.system.capture($0.0, for: $0.1).asOrigin) }
        }
    }

    /// Brings the resources of one adapter to their desired state, or leaves all of them as they were.
    func write(
        _ part: SystemChange.Part, _ known: [Resource: KnownResource]
    ) async -> [AdapterResult] {
        var change = SystemChange(part)
        // A content that was accepted once is written again without another check.
        let refused = await applier.refusals(of: change, knowing: known).problems
        guard refused.isEmpty else {
            return refused.map {
                AdapterResult(adapter: part.adapter, state: .failed, message: "\($0.path) \($0.reason)")
            }
        }
        let released = part.steps.filter(\.restoresOrigin).map(\.resource)
        let taken = part.steps.filter { !$0.restoresOrigin }.map(\.resource)
        do {
            change.contents = try await resources.contents(of: change)
            let mementos = try await applier.capture(change)
            let (left, absent) = change.leaving(absentIn: mementos)
            change = left
            let origins = try await resources.origins(for: change)
            // If this is interrupted from here on, it is written again: the store records that it was being written.
            try await resources.remember(
                Self.marks(part),
                origins: mementos.filter { taken.contains($0.resource) && !left.lacks($0) }
                    .map { StoredMemento($0.asOrigin) })
            let results = try await applier.apply(change, origins: origins, captured: mementos)
            guard results.contains(where: { $0.state == .failed }) else {
                forget(change.parts.flatMap(\.actions))
                try await resources.remember(
                    try await applier.fingerprints(of: change), forgetting: released.map(\.text))
                return results + absent
            }
            let back = try await applier.restore(mementos, from: settings, to: settings, at: [])
            try await resources.remember(
                taken.compactMap { resource in
                    guard let known = known[resource], let wanted = known.wanted, let found = known.found else {
                        return nil
                    }
                    return StoredFingerprint(
                        resource: resource.text, adapter: known.adapter, wanted: wanted, found: found)
                }, forgetting: taken.filter { known[$0] == nil }.map(\.text))
            forget(back.actions)
            record(back.failedActions)
            return results.filter { $0.state == .failed } + back.failures
        } catch {
            return [AdapterResult(adapter: part.adapter, state: .failed, message: "\(error)")]
        }
    }

    /// Returns marks of the resources that an adapter is about to write; kernel values are set again in any case.
    private static func marks(_ part: SystemChange.Part) -> [StoredFingerprint] {
        part.steps.compactMap { step in
            guard !step.restoresOrigin, let after = step.after, after != .kept, !step.resource.isRuntimeState else {
                return nil
            }
            return StoredFingerprint(
                resource: step.resource.text, adapter: part.adapter, wanted: after.fingerprint, found: "")
        }
    }
}
