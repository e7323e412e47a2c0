import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore

extension SettingsWriter {
    /// Returns the reply to a transaction that was made before under the same id.
    func formerAnswer(to id: String?, hash: String) async throws -> SettingsInterface.Set.Reply? {
        guard let id else { return nil }
        let committed = try await history.record(ofID: id)
        let volatile = live.state.volatile.transactions.last { $0.id == id }
        if let committed, committed.hash != hash { throw APIError.reused(id, generation: committed.number) }
        if let volatile, volatile.hash != hash { throw APIError.reused(id, generation: volatile.generation) }
        guard let generation = committed?.number ?? volatile?.generation else { return nil }
        let state: CommitState =
            switch committed?.state {
            case .pending: .pending
            case .reverted: .reverted
            case .confirmed, .restored, nil: .repeated
            case .other(let word): throw APIError.unknownState(word, of: generation)
            }
        var answer = reply(
            state, id: id, generation: generation,
            differences: Self.joined(committed?.changes ?? [], volatile?.changes ?? []),
            omitted: volatile?.omitted ?? 0, isVolatile: committed == nil)
        if state == .repeated { answer.overtaken = await overtaking(id, committed, volatile) }
        if state == .pending {
            answer.window = transaction?.trial.length
            answer.probes = transaction?.trial.probes?.reports
        }
        return answer
    }

    /// Returns a note on a change that was made under an id and of which something was changed since; nil if nothing
    /// was: a caller that repeats it would take it for applied.
    private func overtaking(
        _ id: String, _ committed: GenerationRecord?, _ volatile: VolatileTransaction?
    ) async -> String? {
        let rows = committed?.state == .confirmed ? committed?.changes ?? [] : []
        let names = settings.underPresentNames(rows)
        let lost =
            names.first { settings[.committed][$0.path] != $0.new }
            ?? volatile?.changes.first { settings[.volatile][$0.path] != $0.new }
        guard let lost else { return nil }
        let made =
            committed.map { "was made as generation \($0.number) of \($0.author)" } ?? "was made until the next boot"
        let row = committed == nil ? nil : try? await store.setting(at: settings.storedPath(of: lost.path))
        let since = row.map { " by generation \($0.generation)" + ($0.author.map { " of \($0)" } ?? "") } ?? ""
        return
            "change \(id) \(made), and \(lost.path) was changed since\(since); to make it again take another id, or none"
    }

    /// Returns the reply to a request whose changes are known.
    func reply(
        _ state: CommitState, to signature: Signature, _ proposal: SettingsProposal,
        results: [AdapterResult] = [], notes: [String] = []
    ) -> SettingsInterface.Set.Reply {
        reply(
            state, id: signature.id, generation: reference.generation,
            differences: Self.joined(proposal.differences, proposal.volatileDifferences),
            isVolatile: proposal.differences.isEmpty && !proposal.volatileDifferences.isEmpty,
            holding: proposal.settings, results: results, notes: notes)
    }

    /// Returns the changes of both layers, sorted; a path in both is listed once, as it was committed.
    private static func joined(
        _ committed: [SettingDifference], _ volatile: [SettingDifference]
    ) -> [SettingDifference] {
        if volatile.isEmpty { return committed }
        let paths = Set(committed.map(\.path))
        return (committed + volatile.filter { !paths.contains($0.path) }).sortedByPath()
    }

    private func reply(
        _ state: CommitState, id: String, generation: Int64, differences: [SettingDifference], omitted: Int = 0,
        isVolatile: Bool, holding after: LayeredSettings? = nil, results: [AdapterResult] = [],
        notes: [String] = []
    ) -> SettingsInterface.Set.Reply {
        // From here on the commit is done: the reply has to fit into a message.
        let (changes, left) = [ChangeRecord].records(
            of: differences, in: settings, holding: after, layer: isVolatile ? .volatile : .committed)
        let omitted = omitted + (left ?? 0)
        return SettingsInterface.Set.Reply(
            id: id, store: reference.store, generation: generation, state: state, changes: changes,
            results: state == .checked
                ? []
                : AdapterResult.results(
                    for: differences, isVolatile: isVolatile, by: applier, done: results.bounded, notes: notes),
            omitted: omitted > 0 ? omitted : nil, volatile: isVolatile ? true : nil)
    }
}

extension SettingsInterface.Set.Reply {
    /// The maximum number of paths that are named.
    private static let namedPaths = 16

    /// Returns the reply with a note that names the unchanged paths.
    func naming(unchanged paths: [SettingPath]) -> SettingsInterface.Set.Reply {
        guard !paths.isEmpty else { return self }
        var names = paths.prefix(Self.namedPaths).map(\.text).joined(separator: ", ")
        if paths.count > Self.namedPaths { names += " and \(paths.count - Self.namedPaths) more" }
        let note = "unchanged, since no schema defines it any more: \(names)"
        var reply = self
        if reply.plan != nil {
            reply.plan?.notes.append(note)
        } else {
            reply.results.append(AdapterResult(adapter: "system", state: .notApplied, message: note))
        }
        return reply
    }
}
