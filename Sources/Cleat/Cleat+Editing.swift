import CleatAPI
import CleatJSON
public import CleatSettings

extension Cleat {
    /// Changes settings in one transaction: all of the changes are made, or none.
    ///
    /// The closure works on the settings as they are. When somebody else changes them before the transaction is done, it
    /// runs again on the fresh ones, so it should read what it needs from its argument and have no other effects:
    /// ```swift
    /// try await cleat.edit(comment: "louder") { settings in
    ///     settings[.volume] += 0.1
    ///     settings[.ntpServers].append("ntp.example.net")
    ///     settings[.splash] ?= "boot.png"  // only where unset
    /// }
    /// ```
    /// An answer that is lost because the service is restarted does not make the change twice. All settings are read
    /// first; ``update(_:comment:_:)`` reads only one.
    ///
    /// - Parameters:
    ///   - comment: what the history says about it, at most 1,024 bytes.
    ///   - body: makes the changes.
    /// - Returns: what the closure returned the last time.
    /// - Throws: what the closure throws, and then nothing is changed; or ``CleatError``: `refused` with all that is
    ///   wrong, `locked`, `conflict` after ``editAttempts``, `unreachable`.
    @discardableResult
    public func edit<Result>(
        comment: String? = nil, _ body: (inout EditableSettings) throws -> Result
    ) async throws -> Result {
        try await edit(under: nil, comment, body)
    }

    /// Changes one setting by what it is: `try await cleat.update(.volume) { $0 += 0.1 }`.
    ///
    /// It is a transaction as ``edit(comment:_:)`` is, and the closure may run again as well.
    @discardableResult
    public func update<Value, Result>(
        _ key: SettingKey<Value>, comment: String? = nil, _ body: (inout Value) throws -> Result
    ) async throws -> Result {
        try await edit(under: key.path, comment) { try body(&$0[key]) }
    }

    /// Sets one setting, whatever it was: `try await cleat.set(.hostname, to: "gateway")`.
    public func set<Value>(
        _ key: SettingKey<Value>, to value: Value, comment: String? = nil
    ) async throws(CleatError) {
        let json: JSONValue
        let changes: ChangeSet
        do {
            json = try JSONValue(encoding: value)
            // What stands for a group of settings changes those that differ, for which they have to be read.
            if case .object = json {
                try await edit(under: key.path, comment) { $0[key] = value }
                return
            }
            changes = try ChangeSet([Change(key.path, json)])
        } catch let error as CleatError {
            throw error
        } catch {
            throw CleatError(.refused, "the value of \(key.path) cannot be set; nothing was changed: \(error)")
        }
        try await commit(changes, expect: nil, comment)
    }

    /// Takes what was committed at one path away, so that factory data and defaults hold again.
    public func unset<Value>(_ key: SettingKey<Value>, comment: String? = nil) async throws(CleatError) {
        let changes: ChangeSet
        do {
            changes = try ChangeSet([Change(key.path, nil)])
        } catch {
            throw CleatError(.refused, "\(error)")
        }
        try await commit(changes, expect: nil, comment)
    }

    /// Takes all that was committed, or set until the next boot, at a path and below it away, so that factory data and
    /// defaults hold again: one transaction.
    public func reset<Value>(_ key: SettingKey<Value>, comment: String? = nil) async throws(CleatError) {
        _ = try await backend.reset(.init(prefix: key.path.text, id: Self.makeID(), comment: comment))
    }

    /// Takes all that was committed, or set until the next boot, away: a factory reset of all settings, in one
    /// transaction.
    public func resetAll(comment: String? = nil) async throws(CleatError) {
        _ = try await backend.reset(.init(prefix: nil, id: Self.makeID(), comment: comment))
    }

    // MARK: Transactions

    private func edit<Result>(
        under prefix: SettingPath?, _ comment: String?, _ body: (inout EditableSettings) throws -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            let (view, reference) = try await backend.view(under: prefix)
            var settings = EditableSettings(view)
            let result = try body(&settings)
            let changes = try Self.changes(of: settings)
            if changes.isEmpty { return result }
            do throws(CleatError) {
                try await commit(changes, expect: reference, comment)
                return result
            } catch {
                guard error.code == .conflict, attempt < Self.editAttempts else { throw error }
            }
            try await backend.pause(attempt: attempt)
            attempt += 1
        }
    }

    private static func changes(of settings: EditableSettings) throws(CleatError) -> ChangeSet {
        do {
            return try settings.changeSet()
        } catch {
            throw CleatError(.refused, "the changes cannot be made; nothing was changed: \(error)")
        }
    }

    private func commit(_ changes: ChangeSet, expect: GenerationRef?, _ comment: String?) async throws(CleatError) {
        // The same call may reach the service twice, where an answer was lost: the id lets it know.
        _ = try await backend.set(
            .init(
                changes: changes.changes.map { .init(path: $0.path.text, value: $0.value) }, id: Self.makeID(),
                expect: expect, comment: comment))
    }

    /// Makes an id of 128 random bits.
    private static func makeID() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
