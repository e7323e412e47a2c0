import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

extension SystemFollower {
    /// Compares the system with what the settings want of it.
    ///
    /// - Returns: nil where nothing is wanted and nothing was ever taken: then nothing is looked at.
    func reconcile(
        _ settings: LayeredSettings, known: [Resource: KnownResource], _ occasion: Reconciliation.Occasion,
        leaving: Set<Resource>, isComplete: Bool
    ) async throws -> Reconciliation? {
        let isIdle =
            known.isEmpty
            && adapters.adapters.allSatisfy {
                let desired = $0.desired(settings)
                return desired.wanted.isEmpty && desired.problems.isEmpty
            }
        if isIdle { return nil }
        // What could not be found out might want what nothing else does.
        let isComplete = isComplete && failures.isEmpty
        return try await worker.run {
            adapters.reconcile(
                settings, known: known, occasion, leaving: leaving, isComplete: isComplete, on: system)
        }
    }

    /// What the resources are that a change has just written, to be remembered.
    ///
    /// - Parameters:
    ///   - change: what was written.
    ///   - mementos: what was brought back besides.
    ///   - settings: what wants the latter; nil where there are none.
    /// - Returns: one for each that can be looked at.
    /// - Throws: `CancellationError`.
    func fingerprints(
        of change: SystemChange, besides mementos: [Memento] = [], _ settings: LayeredSettings? = nil
    ) async throws -> [StoredFingerprint] {
        var written: [Resource: (adapter: String, wanted: String)] = [:]
        for part in change.parts {
            for step in part.steps where !step.bringsOriginBack {
                guard let state = step.after, state != .kept else { continue }
                written[step.resource] = (part.adapter, state.fingerprint)
            }
        }
        for memento in mementos where written[memento.resource] == nil {
            guard let state = settings.flatMap({ wanted(memento.resource, $0)?.state }), state != .kept else {
                continue
            }
            written[memento.resource] = (memento.adapter, state.fingerprint)
        }
        if written.isEmpty { return [] }
        return try await worker.run { [written] in
            written.sorted { $0.key < $1.key }.compactMap { resource, item in
                // One that cannot be read right now is looked at again with the next start.
                let print: String?
                do { print = try system.fingerprint(of: resource) } catch { print = "" }
                // It has no print, but who was told of it is remembered.
                if case .interface = resource, system.isRunning, print == nil {
                    return StoredFingerprint(
                        resource: resource.text, adapter: item.adapter, wanted: item.wanted, found: item.wanted)
                }
                return print.map {
                    StoredFingerprint(
                        resource: resource.text, adapter: item.adapter, wanted: item.wanted, found: $0)
                }
            }
        }
    }

    /// Which files and links of a change somebody else has changed since they were written.
    func changedOutside(_ change: SystemChange, known: [Resource: KnownResource]) async throws -> [Drift] {
        var prints: [Resource: String] = [:]
        for step in change.parts.flatMap(\.steps) where !step.resource.isKernels {
            if let found = known[step.resource]?.found, !found.isEmpty { prints[step.resource] = found }
        }
        if prints.isEmpty { return [] }
        return try await worker.run { [prints] in
            adapters.drift(of: prints, on: system).filter {
                if case .changed(let now) = $0.kind { now != SystemResources.absentFingerprint } else { false }
            }
        }
    }

    /// Which values of the kernel a change makes something else that somebody else has set since they were written.
    func overwritten(by change: SystemChange, known: [Resource: KnownResource]) async throws -> [Drift] {
        var prints: [Resource: String] = [:]
        for step in change.parts.flatMap(\.steps) where step.resource.isKernels {
            if let found = known[step.resource]?.found, !found.isEmpty { prints[step.resource] = found }
        }
        return try await worker.run { [prints] in adapters.overwritten(by: change, prints: prints, on: system) }
    }

    /// What the settings want of a resource; nil where nothing does.
    func wanted(_ resource: Resource, _ settings: LayeredSettings) -> DesiredState.Wanted? {
        for adapter in adapters.adapters {
            if let wanted = adapter.desired(settings).wanted.first(where: { $0.resource == resource }) { return wanted }
        }
        return nil
    }

    /// What a resource holds now.
    func content(of resource: Resource) async throws -> [UInt8]? {
        try await worker.run { try system.content(of: resource) }
    }

    /// Tells if everybody may read what a resource holds, as far as it is a value of the kernel's.
    func isPublic(_ resource: Resource) async throws -> Bool {
        try await worker.run { try system.isPublic(resource) }
    }
}
