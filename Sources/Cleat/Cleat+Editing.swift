import CleatAPI
import CleatIO
import CleatJSON
public import CleatSettings
public import CleatViews

extension Cleat {
    /// Changes settings in one transaction: either all changes are made, or none.
    ///
    /// The closure works on the present settings. If another client changes them before the commit, the closure runs
    /// again on the new ones, so it should read only from its argument and have no other effects:
    /// ```swift
    /// try await cleat.edit(comment: "louder") { settings in
    ///     settings[.volume] += 0.1
    ///     settings[.ntpServers].append("ntp.example.net")
    ///     settings[.splash] ?= "boot.png"  // only where unset
    /// }
    /// ```
    /// A change is made only once, even if its reply is lost because the service restarts. All settings are read first;
    /// ``update(_:comment:_:)`` reads only one.
    ///
    /// - Parameters:
    ///   - comment: the comment in the history, at most 1,024 bytes.
    ///   - body: the closure that makes the changes.
    /// - Returns: the result of the closure's last run.
    /// - Throws: the closure's error, and then nothing is changed; or ``CleatError``: `refused` with every problem,
    ///   `locked`, `conflict` after ``editAttempts``, `unreachable`.
    public func edit<Result>(
        comment: String? = nil, _ body: (inout EditableSettings) throws -> Result
    ) async throws -> Result {
        try await edit(under: nil, comment, body)
    }

    /// Changes one setting based on its present value: `try await cleat.update(.volume) { $0 += 0.1 }`.
    ///
    /// This is a transaction like ``edit(comment:_:)``, and the closure can run several times as well.
    public func update<Value, Result>(
        _ key: SettingKey<Value>, comment: String? = nil, _ body: (inout Value) throws -> Result
    ) async throws -> Result {
        try await edit(under: key.path, comment) { try body(&$0[key]) }
    }

    /// Sets one setting, whatever its present value is: `try await cleat.set(.hostname, to: "gateway")`.
    public func set<Value>(
        _ key: SettingKey<Value>, to value: Value, comment: String? = nil
    ) async throws(CleatError) {
        let json: JSONValue
        let changes: ChangeSet
        do {
            json = try JSONValue(setting: value)
            // A group's object changes only the settings that differ, which have to be read first.
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

    /// Removes the committed value at one path, so that factory data and defaults apply again.
    public func unset<Value>(_ key: SettingKey<Value>, comment: String? = nil) async throws(CleatError) {
        let changes: ChangeSet
        do {
            changes = try ChangeSet([Change(key.path, nil)])
        } catch {
            throw CleatError(.refused, "\(error)")
        }
        try await commit(changes, expect: nil, comment)
    }

    /// Removes all committed and volatile values at a path and below it in one transaction, so that factory data and
    /// defaults apply again.
    public func reset<Value>(_ key: SettingKey<Value>, comment: String? = nil) async throws(CleatError) {
        _ = try await backend.reset(.init(prefix: key.path.text, id: RandomID.make(), comment: comment))
    }

    /// Removes all committed and volatile values in one transaction: a factory reset of all settings.
    public func resetAll(comment: String? = nil) async throws(CleatError) {
        _ = try await backend.reset(.init(prefix: nil, id: RandomID.make(), comment: comment))
    }

    // MARK: Transactions

    private func edit<Result>(
        under prefix: SettingPath?, _ comment: String?, _ body: (inout EditableSettings) throws -> Result
    ) async throws -> Result {
        try await transaction(under: prefix, comment, on: nil, body).result
    }

    /// Runs a closure on the present settings and commits its changes, until no other client has come first.
    ///
    /// - Returns: the result of the closure's last run, and the reply to the commit; nil if nothing was changed.
    func transaction<Result>(
        under prefix: SettingPath?, _ comment: String?, on trial: TrialWindow?,
        _ body: (inout EditableSettings) throws -> Result
    ) async throws -> (result: Result, reply: SettingsInterface.Set.Reply?) {
        var attempt = 1
        while true {
            let (view, reference) = try await backend.view(under: prefix)
            var settings = EditableSettings(view)
            let result = try body(&settings)
            let changes = try Self.changes(of: settings)
            if changes.isEmpty { return (result, nil) }
            do throws(CleatError) {
                return (result, try await commit(changes, expect: reference, comment, on: trial))
            } catch {
                guard error.code == .conflict, attempt < Self.editAttempts else { throw error }
            }
            try await backend.pause(attempt: attempt)
            attempt += 1
        }
    }

    static func changes(of settings: EditableSettings) throws(CleatError) -> ChangeSet {
        do {
            return try settings.changeSet()
        } catch let error as UnreadableSetting {
            if error.isSecret { throw CleatError.secret(error.path.text) }
            throw CleatError(
                .mismatch, "\(error); nothing was changed",
                remedy: "check the key against the board's schema: `cleat describe \(error.path)`")
        } catch {
            throw CleatError(.refused, "the changes cannot be made; nothing was changed: \(error)")
        }
    }

    @discardableResult
    func commit(
        _ changes: ChangeSet, expect: GenerationRef?, _ comment: String?, on trial: TrialWindow? = nil
    ) async throws(CleatError) -> SettingsInterface.Set.Reply {
        // The id lets the service recognise a call that is sent twice because its reply was lost.
        try await backend.set(
            .init(
                changes: changes.changes.map { .init(path: $0.path.text, value: $0.value) }, id: RandomID.make(),
                expect: expect, comment: comment, confirm: trial?.milliseconds,
                until: trial.flatMap { $0.probes.isEmpty ? nil : $0.probes }))
    }
}

extension Cleat {
    /// Changes settings on trial: they are in force at once, and revert unless they are confirmed in time.
    ///
    /// The change survives neither a power cut nor a restart of the board before it is confirmed. It reverts when its
    /// window is over, also if this program has ended, and at the end of `whileOnTrial` unless that has confirmed it:
    /// ```swift
    /// let outcome = try await cleat.edit(confirm: .seconds(120)) { settings in
    ///     settings[.brightness] = 100
    /// } whileOnTrial: { trial in
    ///     if try await lampIsReadable() { try await trial.confirm() }
    /// }
    /// ```
    /// Like ``edit(comment:_:)``, the first closure runs again if another client commits meanwhile. While a change is on
    /// trial, no other change can be made: it ends with the code `pending`.
    ///
    /// - Parameters:
    ///   - window: the confirm window, a second to a day, from the moment that the change is applied.
    ///   - probes: the probes that confirm the change once all of them hold, such as `ping:192.0.2.1`; the service
    ///     checks them. In memory there are none.
    ///   - comment: the comment in the history, at most 1,024 bytes.
    ///   - body: the closure that makes the changes.
    ///   - whileOnTrial: the closure that runs while the change is on trial; it is not run if nothing is changed.
    /// - Returns: how the trial has ended.
    /// - Throws: the error of a closure, after the change is reverted; or ``CleatError``.
    @discardableResult
    public func edit(
        confirm window: Duration, until probes: [String] = [], comment: String? = nil,
        _ body: (inout EditableSettings) throws -> Void, whileOnTrial: (Trial) async throws -> Void
    ) async throws -> Trial.Outcome {
        let terms = TrialWindow(milliseconds: window.milliseconds, probes: probes)
        guard let reply = try await transaction(under: nil, comment, on: terms, body).reply else { return .unchanged }
        let trial = Trial(id: reply.id, generation: reply.generation, backend: backend)
        do {
            try await whileOnTrial(trial)
        } catch {
            // The error of the closure is the one to report; the service reverts the change in any case.
            _ = try? await trial.end()
            throw error
        }
        return try await trial.end()
    }
}

extension Cleat {
    /// Reads settings as rows that a form, a page of a terminal or a web page shows and edits.
    ///
    /// Settings of map entries have rows if the entry exists.
    /// - Parameter prefix: the path of a setting, or of a group of settings; nil for all.
    /// - Returns: the rows directly below the path, those of groups with their rows; the row of a setting.
    /// - Throws: ``CleatError`` with the code `refused` for an unknown path.
    public func rows(below prefix: String? = nil) async throws(CleatError) -> [SettingRow] {
        let path: SettingPath?
        do {
            path = try prefix.map { try SettingPath($0) }
        } catch {
            throw CleatError(.refused, "\(error)")
        }
        let described = try await backend.describe(path)
        return RowBuilder(described, try await backend.view(under: path).0).rows(below: path)
    }

    /// Makes the edits of rows in one transaction: either all changes are made, or none.
    ///
    /// - Parameters:
    ///   - rows: the rows of settings and groups; those that are not edited are not changed.
    ///   - comment: the comment in the history, at most 1,024 bytes.
    /// - Throws: ``CleatError``: `refused` with every problem, such as a rule over several settings, `locked`, `pending`,
    ///   `unreachable`.
    public func save(_ rows: [SettingRow], comment: String? = nil) async throws(CleatError) {
        let changes: ChangeSet
        do {
            changes = try ChangeSet(rows.changes)
        } catch {
            throw CleatError(.refused, "the changes cannot be made; nothing was changed: \(error)")
        }
        if !changes.isEmpty { try await commit(changes, expect: nil, comment) }
    }
}
