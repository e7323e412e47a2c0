import CleatAPI
import CleatSettings
import CleatStore

extension SettingsHistory {
    /// Returns all layers of a path; with the write lock if a user has set it, so that the row that the store has, or the
    /// origin, is of the same generation as the settings.
    ///
    /// - Parameters:
    ///   - path: A setting or a group.
    ///   - reveal: True if secrets are included.
    /// - Returns: The layers, the highest first, and the value after `unset`.
    /// - Throws: `APIError` for an unknown path, and for values that do not fit into one reply.
    func why(_ path: SettingPath, reveal: Bool) async throws -> SettingsInterface.Why.Reply {
        let queries = SettingsQueries(live)
        let source = try await source(of: path, queries)
        let origins = live.state.volatile.origins
        return try await applier.worker.run(about: queries.settings.isLarge(path) ? .max : 0) {
            try queries.why(path, reveal: reveal, set: source, origins)
        }
    }

    /// Returns the change that set the committed value of a path; nil if it has none, or if a change on trial set it.
    private func source(of path: SettingPath, _ queries: SettingsQueries) async throws(APIError) -> CommittedSource? {
        let settings = queries.settings
        guard settings[.committed][path] != nil, queries.trial(of: path) == nil else { return nil }
        do {
            guard let row = try await store.setting(at: settings.storedPath(of: path)) else { return nil }
            return CommittedSource(row: row, generation: try await store.record(number: row.generation))
        } catch {
            throw APIError(error)
        }
    }
}
