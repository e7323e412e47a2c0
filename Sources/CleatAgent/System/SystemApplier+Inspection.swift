import CleatAdapters
import CleatIO
import CleatOrder
import CleatSettings
import CleatStore

extension SystemApplier {
    /// Compares the system with the state that the settings require.
    ///
    /// - Returns: The comparison; nil if no setting claims a resource and none was ever touched: then nothing is
    ///   inspected.
    func reconcile(
        _ settings: LayeredSettings, known: [Resource: KnownResource], _ occasion: Reconciliation.Occasion,
        leaving: Set<Resource>, isComplete: Bool, scope: AdapterSet.Scope
    ) async throws -> Reconciliation? {
        let adapters = adapters.only(scope)
        let known = scope == .all ? known : known.filter { scope.includes($0.key) }
        let isIdle =
            known.isEmpty
            && adapters.adapters.allSatisfy {
                let desired = adapters.desired(settings, of: $0)
                return desired.wanted.isEmpty && desired.problems.isEmpty
            }
        if isIdle { return nil }
        // Settings that failed to load might claim resources that no other setting does.
        let isComplete = isComplete && failures.isEmpty
        return try await worker.run { [self] in
            adapters.reconcile(
                settings, known: known, occasion, leaving: leaving, isComplete: isComplete, on: system)
        }
    }

    /// Returns the fingerprints of the resources that a change has just written, for the store.
    ///
    /// - Parameters:
    ///   - change: The change that was written.
    ///   - mementos: The mementos that were restored besides.
    ///   - settings: The settings that claim the latter; nil if there are none.
    /// - Returns: One fingerprint for each resource that can be read.
    /// - Throws: `CancellationError`.
    func fingerprints(
        of change: SystemChange, besides mementos: [Memento] = [], _ settings: LayeredSettings? = nil
    ) async throws -> [StoredFingerprint] {
        var written: [Resource: (adapter: String, wanted: String)] = [:]
        for part in change.parts {
            for step in part.steps where !step.restoresOrigin {
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
        return try await worker.run { [self, written] in
            written.ordered { $0.key < $1.key }.compactMap { resource, item in
                // A resource that cannot be read right now is compared again at the next start.
                let print: String?
                do { print = try system.fingerprint(of: resource) } catch { print = "" }
                // It has no fingerprint, but the adapter that configured it is recorded.
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

    /// Returns the state that the settings require of a resource; nil if they do not claim it.
    func wanted(_ resource: Resource, _ settings: LayeredSettings) -> DesiredState.Wanted? {
        for adapter in adapters.adapters {
            let wanted = adapters.desired(settings, of: adapter).wanted
            if let found = wanted.first(where: { $0.resource == resource }) { return found }
        }
        return nil
    }

    /// Returns the present contents of a resource.
    func content(of resource: Resource) async throws -> [UInt8]? {
        try await worker.run { [self] in try system.content(of: resource) }
    }

    /// Returns true if all users may read a resource's contents, as far as it is a kernel value.
    func isPublic(_ resource: Resource) async throws -> Bool {
        try await worker.run { [self] in try system.isPublic(resource) }
    }
}

extension SystemApplier {
    /// The time in which a program has to answer so that the start of the service waits for it.
    private static let patience = Duration.seconds(1)

    /// Asks programs for their fingerprints, without any lock: those that do not answer in time are not asked again by
    /// the inspection that follows with the lock.
    ///
    /// - Parameter resources: The states of the programs.
    func ask(_ resources: some Collection<Resource> & Sendable) async {
        guard isRunning, !resources.isEmpty else { return }
        // The inspection reports the failures.
        try? await probing.run { [self] in for resource in resources { system.ask(resource) } }
    }

    /// Returns true if programs answer soon.
    func answerSoon(_ resources: [Resource]) async -> Bool {
        if resources.isEmpty { return true }
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        loop.task(name: "asking programs") { [self] in
            await ask(resources)
            answer.yield(resources.allSatisfy { !system.isPaused($0) })
        }
        loop.task(name: "waiting for programs") { [self] in
            try? await loop.sleep(for: Self.patience)
            answer.yield(false)
        }
        for await answer in answers { return answer }
        return false
    }
}
