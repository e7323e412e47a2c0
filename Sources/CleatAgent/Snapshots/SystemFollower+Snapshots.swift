import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings

extension SystemFollower {
    /// What resources are; a resource that cannot be read whole is an error.
    func capture(_ resources: [(resource: Resource, adapter: String)]) async throws -> [Memento] {
        guard !resources.isEmpty else { return [] }
        return try await worker.run {
            var mementos: [Memento] = []
            for (resource, adapter) in resources { mementos.append(try system.capture(resource, for: adapter)) }
            return mementos
        }
    }

    /// What resources are, as far as they can be looked at.
    func look(at resources: [(resource: Resource, adapter: String)]) async throws -> [Resource: Memento] {
        guard !resources.isEmpty else { return [:] }
        return try await worker.run {
            var found: [Resource: Memento] = [:]
            for (resource, adapter) in resources { found[resource] = try? system.capture(resource, for: adapter) }
            return found
        }
    }

    /// Brings back what was captured of those resources that are something else now, and has programs take that up.
    ///
    /// - Returns: what was done; where something failed, the first failure is the last result.
    func bring(_ mementos: [Memento], _ settings: LayeredSettings) async throws -> [CleatAPI.AdapterResult] {
        let present = try await look(at: mementos.map { ($0.resource, $0.adapter) })
        let differing = mementos.filter { memento in
            present[memento.resource].map { !$0.isSame(as: memento) } ?? true
        }
        guard !differing.isEmpty else { return [] }
        var results: [CleatAPI.AdapterResult] = []
        // They are brought back from the last one to the first one; these shall come in the order of the adapters.
        for result in try await worker.run({ adapters.restore(differing.reversed(), on: system) }) {
            results.append(CleatAPI.AdapterResult(result))
            // One that is late has brought all of it back.
            guard result.errors.isEmpty else { return results }
        }
        for (_, actions) in adapters.actions(afterRestoring: differing, from: settings, to: settings, at: []) {
            for done in await runner.run(actions.map { $0.knowing(captured: mementos) }, stopsAtFailure: true) {
                results.append(CleatAPI.AdapterResult(done, of: done.title))
                guard done.isSuccess else { return results }
            }
        }
        return results
    }
}
