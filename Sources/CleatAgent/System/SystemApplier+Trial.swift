import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

extension SystemApplier {
    /// Returns the change in the form for the time of its trial: the board keeps its present addresses.
    func onTrial(
        _ change: SystemChange, from before: LayeredSettings, to after: LayeredSettings
    ) async throws -> SystemChange {
        guard isRunning, !change.isEmpty else { return change }
        return try await worker.run { [self] in try adapters.onTrial(change, from: before, to: after, on: system) }
    }

    /// Removes what was only kept for the time of the trial.
    ///
    /// Interfaces that were missing when the change was started have nothing to remove.
    func removeKeptAddresses(
        from before: LayeredSettings, to after: LayeredSettings, at paths: [SettingPath], besides mementos: [Memento]
    ) async throws -> (change: SystemChange, results: [AdapterResult]) {
        guard isRunning else { return (SystemChange(), []) }
        let change = try await worker.run { [self] in
            let change = try adapters.confirming(from: before, to: after, at: paths, on: system)
            return change.leaving(Set(mementos.filter(change.lacks).map(\.resource)))
        }
        return (change, try await apply(change, origins: [:], captured: []))
    }

    /// Returns the interfaces with settings that are missing; the system is not inspected if no interface has settings.
    func missingInterfaces(_ settings: LayeredSettings) async throws -> Set<String> {
        let wanted = adapters.managed(settings).contains { if case .interface = $0.resource { true } else { false } }
        guard wanted else { return [] }
        return try await worker.run { [self] in try adapters.missingInterfaces(settings, on: system) }
    }
}

extension SystemChange {
    /// Returns the change without the interfaces that were missing when it was captured, with a result for each of
    /// them.
    func leaving(absentIn mementos: [Memento]) -> (change: SystemChange, results: [AdapterResult]) {
        let absent = mementos.filter(lacks)
        if absent.isEmpty { return (self, []) }
        let released = Set(parts.flatMap(\.steps).filter(\.restoresOrigin).map(\.resource))
        let left = absent.filter { !released.contains($0.resource) }
        let results = left.map { memento in
            AdapterResult(
                adapter: memento.adapter, state: .notApplied,
                message: "skipped \(memento.resource): \(SystemResources.absenceOfInterface)")
        }
        return (leaving(Set(left.map(\.resource))), results)
    }
}
