import CleatAPI

/// Parses the value of `--expect`.
enum Expectation {
    /// Parses a generation, or a store's id and a generation; without an id, that of the service's store is used.
    static func reference(_ text: String?, _ session: Session) throws(CommandError) -> GenerationRef? {
        guard let text else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let last = parts.last, let generation = Int64(last), generation >= 0,
            parts.count == 1 || !parts[0].isEmpty
        else {
            throw .usage(
                "--expect \(text) is neither a generation nor STORE:GENERATION", remedy: "see `cleat log` for both")
        }
        if parts.count == 2 { return GenerationRef(store: String(parts[0]), generation: generation) }
        let log = try session.call(SettingsInterface.Log.self, .init(limit: 1))
        return GenerationRef(store: log.store, generation: generation)
    }
}
