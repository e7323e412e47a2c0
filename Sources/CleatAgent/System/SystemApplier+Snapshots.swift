import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings

extension SystemApplier {
    /// Captures resources; a resource that cannot be read completely is an error.
    func capture(_ resources: [(resource: Resource, adapter: String)]) async throws -> [Memento] {
        guard !resources.isEmpty else { return [] }
        return try await worker.run { [self] in
            var mementos: [Memento] = []
            for (resource, adapter) in resources { mementos.append(try system.capture(resource, for: adapter)) }
            return mementos
        }
    }

    /// Captures resources, as far as they can be read.
    func look(at resources: [(resource: Resource, adapter: String)]) async throws -> [Resource: Memento] {
        guard !resources.isEmpty else { return [:] }
        return try await worker.run { [self] in
            var found: [Resource: Memento] = [:]
            for (resource, adapter) in resources { found[resource] = try? system.capture(resource, for: adapter) }
            return found
        }
    }

    /// Restores those captured resources that differ now, and runs the programs that reload them.
    ///
    /// - Returns: The results; if an action failed, the first failure is the last result.
    func restoreDiffering(_ mementos: [Memento], _ settings: LayeredSettings) async throws -> [AdapterResult] {
        let present = try await look(at: mementos.map { ($0.resource, $0.adapter) })
        let differing = mementos.filter { memento in
            present[memento.resource].map { !$0.isSame(as: memento) } ?? true
        }
        guard !differing.isEmpty else { return [] }
        var results: [AdapterResult] = []
        // `restore` goes from the last to the first; the order here is that of the adapters.
        for result in try await worker.run({ [self] in adapters.applier.restore(differing.reversed(), on: system) }) {
            results += AdapterResult.results(result)
            // A result that is only late has restored everything.
            guard result.errors.isEmpty else { return results }
        }
        for (_, actions) in adapters.actions(afterRestoring: differing, from: settings, to: settings, at: []) {
            for done in await runner.run(actions.map { $0.knowing(captured: mementos) }, stopsAtFailure: true) {
                results.append(AdapterResult(done, of: done.title))
                guard done.isSuccess else { return results }
            }
        }
        return results
    }

    /// Captures the state of all resources that a change touches.
    ///
    /// - Throws: `APIError` that names the setting of a resource that could not be restored, and so must not be
    ///   changed.
    func captured(_ change: SystemChange) async throws -> [Memento] {
        do {
            return try await capture(change)
        } catch let error as ResourceError {
            guard let step = change.parts.flatMap(\.steps).first(where: { $0.resource == error.resource }) else {
                throw APIError.storeFailed(code: "capture", message: "\(error)")
            }
            let problem = SettingProblem(
                path: step.path, value: nil, code: .system, reason: "cannot be applied: \(error)")
            throw APIError(refusing: [problem])
        }
    }
}
