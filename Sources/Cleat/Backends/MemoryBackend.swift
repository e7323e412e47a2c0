import CleatAPI
import CleatFiles
import CleatIO
import CleatJSON
import CleatSettings
import Synchronization

/// Settings in the program's memory: validated and committed as by a service, and lost when the program ends.
final class MemoryBackend: CleatBackend {
    /// The number of transaction ids that are remembered.
    private static let maximumIDs = 1024
    /// The number of ends of trials that are remembered.
    fileprivate static let endsKept = 64
    static let store = "memory"

    struct State {
        var settings: LayeredSettings
        var generation: Int64 = 0
        var history = MemoryHistory()
        var done: [String: (changes: String, reply: SettingsInterface.Set.Reply)] = [:]
        var ids: [String] = []
        fileprivate var trial: MemoryTrial?
        /// The ends of the last trials.
        var ended: [TransactionsInterface.End] = []
        /// The effects to report once the state is not locked any more.
        fileprivate var effects = MemoryEffects()
        var observers: [UInt64: (path: SettingPath, observer: ChangeObserver)] = [:]

        var reference: GenerationRef { GenerationRef(store: MemoryBackend.store, generation: generation) }
    }

    let revealsSecrets = true
    let areas: AreaSource
    private let declared: [KeyCheck]
    let state: Mutex<State>
    private let events = MemoryEvents()
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Builds settings from the built-in schema, the given schemas, and the keys whose paths none of these has.
    ///
    /// - Parameters:
    ///   - schemas: JSON Schema texts.
    ///   - declared: the keys that the program uses.
    ///   - files: the files of the areas.
    ///   - now: reads the clock that ends trials.
    /// - Throws: `CleatError` with the code `refused` for an invalid schema.
    init(
        schemas: [String], declared: [KeyCheck], files: [String: any Files & FilesWatching] = [:],
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(CleatError) {
        self.now = now
        areas = .given(files)
        var schema = Schema.builtIn
        var fromKeys = DeclaredSchema()
        do {
            for (index, text) in schemas.enumerated() {
                let file = "schema \(index + 1)"
                schema = try schema.merged(with: try SchemaText.read(Array(text.utf8), file: file), from: file)
            }
            let unknown = declared.filter { schema.lookup($0.path) == nil }
            for key in unknown.sorted(by: { $0.path.count < $1.path.count }) {
                fromKeys.add((try? key.schema()) ?? DeclaredSchema.open(try? key.defaultValue.get()), at: key.path)
            }
            if !fromKeys.paths.isEmpty {
                schema = try schema.merged(with: try Schema(json: fromKeys.json, file: "keys"), from: "keys")
            }
        } catch {
            throw CleatError(
                .refused, "a schema cannot be used", problems: [.init(path: "", code: "schema", reason: "\(error)")])
        }
        self.declared = declared
        state = Mutex(State(settings: LayeredSettings(schema: schema)))
    }

    // MARK: Reading

    func get(_ path: SettingPath) async throws(CleatError) -> SettingsInterface.Get.Reply {
        revertIfOver()
        let (setting, reference, error) = state.withLock { state in
            (state.settings.value(at: path), state.reference, Self.unknown(path, in: state.settings.schema))
        }
        guard let setting else { throw CleatError(error) }
        return SettingsInterface.Get.Reply(
            store: reference.store, generation: reference.generation, leaf: setting.isSetting,
            setting: SettingInfo(
                path: path.text, value: setting.value, origin: setting.origin, inForce: setting.isInForce,
                inactive: setting.inactive?.reason))
    }

    func view(under prefix: SettingPath?) async throws(CleatError) -> (SettingsView, GenerationRef) {
        revertIfOver()
        let (settings, reference) = state.withLock { ($0.settings, $0.reference) }
        if let prefix, settings.value(at: prefix) == nil {
            throw CleatError(Self.unknown(prefix, in: settings.schema))
        }
        return (SettingsView(settings), reference)
    }

    func describe(_ path: SettingPath?) async throws(CleatError) -> SettingsInterface.Describe.Reply {
        let schema = state.withLock { $0.settings.schema }
        if let path, schema.lookup(path) == nil { throw CleatError(Self.unknown(path, in: schema)) }
        return .init(describing: path, in: schema)
    }

    private static func unknown(_ path: SettingPath, in schema: Schema) -> APIError {
        let hint = schema.suggestion(for: path).map { "; did you mean \($0)?" } ?? ""
        return .unknownSetting(path: path.text, message: "\(path) is not a setting of this board\(hint)")
    }

    // MARK: Changing

    func set(_ parameters: SettingsInterface.Set.Parameters) async throws(CleatError) -> SettingsInterface.Set.Reply {
        let changes: ChangeSet
        do {
            changes = try ChangeSet(
                parameters.changes.map { Change(try SettingPath($0.path), $0.value) })
        } catch {
            throw CleatError(.refused, "the changes cannot be made; nothing was changed: \(error)")
        }
        if let probe = parameters.until?.first {
            throw CleatError(.refused, "the probe \(probe) cannot be checked in memory; nothing was changed")
        }
        if let window = parameters.confirm { try Self.check(window) }
        return try change { state throws(APIError) in
            if parameters.plan == true { return try state.outcome(of: proposed(changes, in: state), .checked) }
            return try commit(
                changes, .init(id: parameters.id, comment: parameters.comment), expect: parameters.expect,
                window: parameters.confirm, in: &state)
        }
    }

    func reset(
        _ parameters: SettingsInterface.Reset.Parameters
    ) async throws(CleatError) -> SettingsInterface.Set.Reply {
        let changes: ChangeSet
        do {
            let paths =
                try parameters.prefix.map { [try SettingPath($0)] }
                ?? Set(state.withLock { $0.settings.committed }.joined.compactMap(\.path.segments.first))
                .map { try SettingPath(segments: [$0]) }
            changes = try ChangeSet(paths.map { Change($0, nil) })
        } catch {
            throw CleatError(.refused, "the settings cannot be reset; nothing was changed: \(error)")
        }
        return try change { state throws(APIError) in
            try commit(
                changes, .init(id: parameters.id, comment: parameters.comment), expect: parameters.expect,
                window: nil, in: &state)
        }
    }

    /// Runs a step on the state, and notifies the observers of what it has changed.
    func change<Value: Sendable>(
        _ body: (inout State) throws(APIError) -> Value
    ) throws(CleatError) -> Value {
        let (result, effects) = state.withLock { state -> (Result<Value, APIError>, MemoryEffects) in
            state.expireTrial(now())
            let result: Result<Value, APIError>
            do throws(APIError) {
                result = .success(try body(&state))
            } catch {
                result = .failure(error)
            }
            return (result, state.takeEffects())
        }
        report(effects)
        do throws(APIError) {
            return try result.get()
        } catch {
            throw CleatError(error)
        }
    }

    /// Commits changes as a new generation, unless there are none.
    func commit(
        _ changes: ChangeSet, _ signature: MemorySignature, expect: GenerationRef?, window: Int64?,
        in state: inout State
    ) throws(APIError) -> SettingsInterface.Set.Reply {
        let id = signature.id
        if let earlier = state.done[id] {
            guard earlier.changes == changes.canonicalText else {
                throw .idReused(
                    id: id, generation: earlier.reply.generation, message: "id \(id) was used for other changes")
            }
            var reply = earlier.reply
            reply.state = .repeated
            return reply
        }
        if let trial = state.trial { throw trial.pending }
        if let expect, expect != state.reference {
            throw .conflict(
                state.reference,
                message: "the settings are at generation \(state.generation), not \(expect.generation): someone else "
                    + "has changed them")
        }
        let proposal = try proposed(changes, in: state)
        guard !proposal.differences.isEmpty else { return state.outcome(of: proposal, .unchanged, id) }
        let before = state.settings
        state.settings = proposal.settings
        state.generation += 1
        var reply = state.outcome(of: proposal, window == nil ? .confirmed : .pending, id)
        reply.window = window
        state.history.append(
            state.generation, signature, reply.changes, state: window == nil ? nil : .pending,
            state.settings.committed)
        state.remember(id, changes.canonicalText, reply, Self.maximumIDs)
        if let window {
            state.trial = MemoryTrial(
                id: id, generation: state.generation, before: before, differences: proposal.differences,
                deadline: now().advanced(by: .milliseconds(window)))
        }
        state.note(proposal.differences)
        return reply
    }

    /// Checks changes.
    private func proposed(_ changes: ChangeSet, in state: State) throws(APIError) -> SettingsProposal {
        let proposal = state.settings.propose(changes)
        let refused = proposal.problems.map(RefusedChange.init) + unreadable(proposal)
        guard refused.isEmpty else { throw .invalidValue(refused) }
        return proposal
    }

    /// Returns the values that the keys' types cannot read, for paths whose schema was built from keys and accepts
    /// more.
    private func unreadable(_ proposal: SettingsProposal) -> [RefusedChange] {
        guard proposal.problems.isEmpty else { return [] }
        return declared.compactMap { key in
            guard proposal.touches(key.path), let setting = proposal.settings.value(at: key.path),
                setting.origin != .schemaDefault, let value = setting.value, let refused = key.refusal(value)
            else { return nil }
            return RefusedChange(
                path: key.path.text, value: value, code: "type",
                reason: "cannot be read as \(key.typeName): \(refused.reason)")
        }
    }

    // MARK: Trials

    func confirm(_ id: String) async throws(CleatError) -> TransactionsInterface.End {
        try change { state throws(APIError) in try state.end(id, as: .confirmed) }
    }

    func extend(_ id: String, to window: Int64) async throws(CleatError) {
        try Self.check(window)
        try change { state throws(APIError) in
            guard state.trial?.id == id else { throw .noTransaction(id: id, message: "change \(id) is not on trial") }
            state.trial?.deadline = now().advanced(by: .milliseconds(window))
        }
    }

    func abort(_ id: String) async throws(CleatError) -> TransactionsInterface.End {
        try change { state throws(APIError) in try state.end(id, as: .reverted) }
    }

    func outcome(of id: String) async throws(CleatError) -> TransactionsInterface.End {
        try change { state throws(APIError) in
            guard let end = state.end(of: id) else {
                throw .noTransaction(id: id, message: "no change is on trial, and none was ever called \(id)")
            }
            return end
        }
    }

    /// Reverts the change on trial if its window is over: without a service nothing else does.
    private func revertIfOver() {
        let effects = state.withLock { state in
            state.expireTrial(now())
            return state.takeEffects()
        }
        report(effects)
    }

    private func report(_ effects: MemoryEffects) {
        for observer in effects.observers { observer.note() }
        for event in effects.events { events.publish(event) }
    }

    private static func check(_ window: Int64) throws(CleatError) {
        guard APILimits.window.contains(window) else {
            throw CleatError(
                .refused, "the confirm window of \(window) ms is invalid; give 1 second to 1 day; nothing was changed")
        }
    }

    // MARK: Following

    func add(_ id: UInt64, _ path: SettingPath, _ observer: ChangeObserver) {
        state.withLock { $0.observers[id] = (path, observer) }
        observer.note()
    }

    func remove(_ id: UInt64) {
        state.withLock { $0.observers[id] = nil }
    }

    func notifyAgain() {}

    func pause(attempt: Int) async throws(CleatError) {
        // The first client has committed: a conflict here means that some client made progress.
        if Task.isCancelled { throw CleatError(.cancelled, "the task was cancelled between two attempts") }
        await Task.yield()
    }
}

extension MemoryBackend {
    func emit(_ event: AppEvent) async throws(CleatError) {
        if let problem = event.problem { throw CleatError(.refused, problem) }
        var properties = event.properties
        properties[AppEvent.uidProperty] = String(ProcessSelf.uid)
        events.publish(
            .init(source: .app, action: event.action, subject: event.subject, properties: properties))
    }

    func links() async throws(CleatError) -> [Link] { [] }

    func devices(in subsystem: String) async throws(CleatError) -> [Device] { [] }

    func follow(_ query: EventQuery, _ sink: EventSink) -> EventFollowing { events.follow(query, sink) }
}

extension MemoryBackend.State {
    /// Remembers a transaction's reply, and forgets the oldest one.
    fileprivate mutating func remember(
        _ id: String, _ changes: String, _ reply: SettingsInterface.Set.Reply, _ limit: Int
    ) {
        guard !id.isEmpty else { return }
        done[id] = (changes, reply)
        ids.append(id)
        if ids.count > limit { done[ids.removeFirst()] = nil }
    }
}

/// The effects of changes: the observers to notify and the events to publish.
private struct MemoryEffects: Sendable {
    var observers: [ChangeObserver] = []
    var events: [MemoryEvents.Draft] = []
}

/// The change on trial in the program's memory.
private struct MemoryTrial: Sendable {
    let id: String
    let generation: Int64
    let before: LayeredSettings
    let differences: [SettingDifference]
    var deadline: ContinuousClock.Instant

    /// The error for another change.
    var pending: APIError {
        .transactionPending(
            nil, message: "change \(id) is on trial; other changes are refused until it ends: confirm or abort it")
    }
}

extension MemoryBackend.State {
    /// Ends the change on trial.
    fileprivate mutating func end(
        _ id: String, as outcome: TransactionsInterface.End.State
    ) throws(APIError) -> TransactionsInterface.End {
        guard let trial, trial.id == id else {
            if let end = self.end(of: id), end.state == outcome { return end }
            throw .noTransaction(
                id: id,
                message: self.end(of: id).map { "change \(id) was \($0.state.rawValue)" }
                    ?? "change \(id) is not on trial")
        }
        if outcome == .reverted {
            settings = trial.before
            generation += 1
            history.revert(trial.generation, in: generation, settings.committed)
            note(trial.differences)
        } else {
            history.confirm(trial.generation)
        }
        self.trial = nil
        let end = TransactionsInterface.End(id: id, store: MemoryBackend.store, generation: generation, state: outcome)
        if ended.count == MemoryBackend.endsKept { ended.removeFirst() }
        ended.append(end)
        return end
    }

    /// Returns the end of a former change on trial; nil if it is not known any more.
    fileprivate func end(of id: String) -> TransactionsInterface.End? { ended.last { $0.id == id } }

    /// Describes what a proposal changes.
    fileprivate func outcome(
        of proposal: SettingsProposal, _ outcome: CommitState, _ id: String = ""
    ) -> SettingsInterface.Outcome {
        SettingsInterface.Outcome(
            id: id, store: MemoryBackend.store, generation: generation, state: outcome,
            changes: proposal.differences.map { ChangeRecord(hiding: $0, in: settings.schema) })
    }

    /// Reverts the change on trial if its window is over.
    fileprivate mutating func expireTrial(_ now: ContinuousClock.Instant) {
        guard let trial, trial.deadline <= now else { return }
        _ = try? end(trial.id, as: .reverted)
    }

    /// Records the effects of changes, to be reported once the state is not locked any more.
    fileprivate mutating func note(_ differences: [SettingDifference]) {
        effects.observers += observers.values.filter { differences.touches($0.path) }.map(\.observer)
        effects.events += differences.map { difference in
            var properties = ["GENERATION": String(generation)]
            let record = ChangeRecord(hiding: difference, in: settings.schema)
            properties["OLD"] = record.old.map { $0.stringValue ?? $0.canonicalText }
            properties["VALUE"] = record.new.map { $0.stringValue ?? $0.canonicalText }
            return MemoryEvents.Draft(
                source: .setting, action: difference.new == nil ? "unset" : "set", subject: difference.path.text,
                properties: properties)
        }
    }

    /// Returns the effects that were not reported yet.
    fileprivate mutating func takeEffects() -> MemoryEffects {
        defer { effects = MemoryEffects() }
        return effects
    }
}

extension [SettingDifference] {
    /// Returns true if the changes modify a value at a path, below it or above it.
    fileprivate func touches(_ path: SettingPath) -> Bool {
        contains { $0.path.isPrefix(of: path) || path.isPrefix(of: $0.path) }
    }
}

extension SettingsProposal {
    /// Returns true if the changes modify a value at a path, below it or above it.
    fileprivate func touches(_ path: SettingPath) -> Bool {
        differences.touches(path)
    }
}

extension ChangeRecord {
    /// Describes a difference, without the values of a secret.
    init(hiding difference: SettingDifference, in schema: Schema) {
        let isHidden = schema.hides(difference.path)
        self.init(
            path: difference.path.text, old: isHidden ? nil : difference.old, new: isHidden ? nil : difference.new)
    }
}

extension RefusedChange {
    fileprivate init(_ problem: SettingProblem) {
        self.init(
            path: problem.path.text, value: problem.value, code: problem.code.description, reason: problem.reason)
    }
}
