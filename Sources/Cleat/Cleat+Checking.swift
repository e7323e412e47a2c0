import CleatAPI
public import CleatSettings

extension Cleat {
    /// Checks keys against the board's schema: it must know their paths, accept their defaults, and hold no value that
    /// cannot be read as their types.
    ///
    /// Call this once at startup. A mismatch means a wrong path, or a schema file that is missing or of another
    /// version.
    /// ```swift
    /// try await cleat.check(.brightness, .scenes, .label)
    /// ```
    /// - Throws: ``CleatError`` with the code `mismatch` and every mismatch of every key.
    public func check<each Value>(_ keys: repeat SettingKey<each Value>) async throws(CleatError) {
        try await check(SettingKeys(repeat each keys))
    }

    /// Checks the keys of a program against the board's schema, as `check` with single keys does.
    public func check(_ keys: SettingKeys) async throws(CleatError) {
        var problems: [CleatError.Problem] = []
        for check in keys.checks {
            do {
                let descriptions = try await backend.describe(check.path)
                problems += check.problems(descriptions, revealsSecrets: backend.revealsSecrets)
            } catch {
                guard error.code == .refused, !error.problems.isEmpty else { throw error }
                problems += error.problems
            }
        }
        guard !problems.isEmpty else { return }
        throw CleatError(
            .mismatch,
            problems.count == 1
                ? "a key of this program does not fit the board's schema"
                : "\(problems.count) keys of this program, or parts of them, do not fit the board's schema",
            remedy: "correct the keys, or install the program's schema file in schema.d", problems: problems)
    }
}
