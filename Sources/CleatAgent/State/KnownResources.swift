import CleatAPI
import CleatAdapters
import CleatSettings
import CleatStore

/// The resources that were ever touched and not released, as the store has them, kept in memory.
///
/// All writes of origins and fingerprints go through it; after one whose outcome is not obvious the store is read again.
final class KnownResources {
    private let store: SettingsStore
    /// The resources; nil until they are read.
    private var known: [Resource: KnownResource]?
    /// The number of writes: what was read while one happened is not kept.
    private var revision = 0

    init(in store: SettingsStore) {
        self.store = store
    }

    /// Stores the resources that were read from the store at startup.
    func load(_ origins: [StoredOrigin], _ prints: [StoredFingerprint]) {
        known = Self.combined(origins, prints)
    }

    private static func combined(
        _ origins: [StoredOrigin], _ prints: [StoredFingerprint]
    ) -> [Resource: KnownResource] {
        var known: [Resource: KnownResource] = [:]
        for origin in origins {
            guard let resource = Resource(text: origin.resource) else { continue }
            known[resource] = KnownResource(adapter: origin.adapter, hasOrigin: true)
        }
        for print in prints { note(print, in: &known) }
        return known
    }

    /// Returns all of them.
    ///
    /// - Throws: `StoreError` if the store must be read and cannot be.
    func all() async throws -> [Resource: KnownResource] {
        if let known { return known }
        let revision = revision
        let read = Self.combined(try await store.origins(), try await store.fingerprints())
        if revision == self.revision { known = read }
        return read
    }

    /// Returns the states before Cleat first touched them, of all resources that a change releases.
    ///
    /// - Throws: `StoreError`; `ResourceError` if a state cannot be decoded.
    func origins(for change: SystemChange) async throws -> [Resource: Memento] {
        var origins: [Resource: Memento] = [:]
        for step in change.parts.flatMap(\.steps) where step.needsOrigin {
            guard let stored = try await store.origin(of: step.resource.text) else { continue }
            origins[step.resource] = try Memento(encoded: stored.state)
        }
        return origins
    }

    /// Returns the contents of the documents that a change writes: they came with it, or the store has kept them.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - given: The contents that came with it, by their hash.
    /// - Returns: The contents, by their hash.
    /// - Throws: `APIError` if the store cannot be read, or a content in it is damaged.
    func contents(of change: SystemChange, besides given: DocumentContents = [:]) async throws -> DocumentContents {
        var found: DocumentContents = [:]
        do {
            for (hash, _) in change.documents where found[hash] == nil {
                if let bytes = given[hash] {
                    found[hash] = bytes
                } else {
                    found[hash] = try await store.content(hash)
                }
            }
        } catch {
            throw APIError(error)
        }
        return found
    }

    // MARK: Writing

    /// Puts a change on trial in the store, as `SettingsStore.arm` does.
    func arm(_ request: CommitRequest, _ trial: TrialRequest) async throws(StoreError) -> ArmOutcome {
        let outcome = try await writing { () throws(StoreError) in try await store.arm(request, trial) }
        if case .pending = outcome { add(trial.origins) } else { known = nil }
        return outcome
    }

    /// Stores the deadline of a trial, as `SettingsStore.awaitConfirm` does.
    func awaitConfirm(
        deadline: TrialDeadline, fingerprints: [StoredFingerprint], results: String?
    ) async throws(StoreError) {
        try await writing { () throws(StoreError) in
            try await store.awaitConfirm(deadline: deadline, fingerprints: fingerprints, results: results)
        }
        add(fingerprints)
    }

    /// Confirms the generation on trial, as `SettingsStore.confirm` does.
    func confirm(
        id: String, forgetting released: [String], fingerprints: [StoredFingerprint], note: GenerationNote?,
        results: String?
    ) async throws(StoreError) -> TrialOutcome {
        let outcome = try await writing { () throws(StoreError) in
            try await store.confirm(
                id: id, forgetting: released, fingerprints: fingerprints, note: note, results: results)
        }
        guard case .confirmed = outcome else {
            known = nil
            return outcome
        }
        add(fingerprints)
        forget(released)
        return outcome
    }

    /// Records the revert of the change on trial, as `SettingsStore.revert` does.
    func revert(
        id: String, stamp: CommitStamp, author: String, reason: String, applied: String?, results: String?
    ) async throws(StoreError) -> TrialOutcome {
        // The origins and the fingerprints of the trial end with it.
        defer { known = nil }
        return try await writing { () throws(StoreError) in
            try await store.revert(
                id: id, stamp: stamp, author: author, reason: reason, applied: applied, results: results)
        }
    }

    /// Stores fingerprints and origins outside of a change of settings, as `SettingsStore.remember` does.
    func remember(
        _ prints: [StoredFingerprint], origins: [StoredMemento] = [], forgetting released: [String] = []
    ) async throws(StoreError) {
        try await writing { () throws(StoreError) in
            try await store.remember(prints, origins: origins, forgetting: released)
        }
        add(origins)
        add(prints)
        forget(released)
    }

    /// Runs a write; after a failure, which may have come after the write, the store is read again.
    private func writing<R: Sendable>(
        _ body: () async throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        revision += 1
        do throws(StoreError) {
            return try await body()
        } catch {
            known = nil
            throw error
        }
    }

    private func add(_ origins: [StoredMemento]) {
        for origin in origins {
            guard let resource = Resource(text: origin.resource) else { continue }
            known?[resource, default: KnownResource(adapter: origin.adapter, hasOrigin: true)].hasOrigin = true
        }
    }

    private func add(_ prints: [StoredFingerprint]) {
        guard var known else { return }
        self.known = nil
        for print in prints { Self.note(print, in: &known) }
        self.known = known
    }

    private func forget(_ released: [String]) {
        for name in released { Resource(text: name).map { _ = known?.removeValue(forKey: $0) } }
    }

    private static func note(_ print: StoredFingerprint, in known: inout [Resource: KnownResource]) {
        guard let resource = Resource(text: print.resource) else { return }
        known[resource] = KnownResource(
            adapter: print.adapter, wanted: print.wanted, found: print.found,
            hasOrigin: known[resource]?.hasOrigin ?? false)
    }
}
