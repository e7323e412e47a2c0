import CleatAPI
import CleatAdapters
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Applies values to the system that are in force until the next boot; on a failure everything is restored.
    func follow(_ wanted: SystemChange, to after: LayeredSettings) async throws -> [CleatAPI.AdapterResult] {
        let mementos = try await captured(wanted)
        let (change, absent) = wanted.leaving(absentIn: mementos)
        var origins: [Resource: Memento] = [:]
        var released: [Resource] = []
        for step in change.parts.flatMap(\.steps) where step.needsOrigin {
            if step.bringsOriginBack { released.append(step.resource) }
            guard let stored = try await store.origin(of: step.resource.text) else { continue }
            origins[step.resource] = try Memento(encoded: stored.state)
        }
        try await store.remember(
            [],
            origins: mementos.filter { !released.contains($0.resource) && !$0.isAbsentInterface }
                .map { StoredMemento($0.asOrigin) })
        let results: [CleatAPI.AdapterResult]
        do {
            results = try await follower.apply(change, origins: origins, captured: mementos) + absent
        } catch {
            results = [.init(adapter: "system", state: .failed, message: Self.cause(of: error))]
        }
        guard let failure = results.first(where: { $0.state == .failed }) else {
            forget(change.parts.flatMap(\.actions))
            // Kernel values end with the boot, as these settings do, and are not worth a flush each time.
            try await store.remember(
                try await follower.fingerprints(of: change).filter {
                    Resource(text: $0.resource)?.isKernels == false
                }, forgetting: released.map(\.text))
            return results
        }
        let back = try await follower.restore(
            mementos, from: after, to: settings, at: change.parts.flatMap(\.steps).map(\.path))
        throw refusal(of: failure, results, back)
    }

    /// Returns the error of a failure that was restored at once, without a generation of its own; the failed actions
    /// are kept.
    func refusal(
        of failure: CleatAPI.AdapterResult, _ results: [CleatAPI.AdapterResult], _ back: Restoration
    ) -> APIError {
        forget(back.actions)
        keep(back.leftovers)
        let message = failure.message.withoutFullStop
        if back.failures.isEmpty {
            return .notApplied(
                id: "", generation: reference.generation, results: results,
                message: "\(message). \(back.leftovers.outcome(of: results))")
        }
        return .notReverted(
            id: "", generation: reference.generation, results: back.results,
            message: "\(message). Not all could be undone: "
                + back.failures.map(\.message).joined(separator: "; "))
    }
}
