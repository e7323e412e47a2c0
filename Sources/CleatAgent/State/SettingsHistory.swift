import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore

/// Answers questions about the history of the settings, which the store has.
struct SettingsHistory: EnginePart {
    let live: LiveState

    /// Reads the generation that a change became; nil if it was never made.
    ///
    /// - Throws: `APIError` if the store cannot be read.
    func record(ofID id: String) async throws -> GenerationRecord? {
        do {
            return try await store.record(id: id)
        } catch {
            throw APIError(error)
        }
    }

    /// Reads one page of history, newest first.
    func log(before: Int64?, limit: Int) async throws -> SettingsInterface.Log.Reply {
        let records: [GenerationRecord]
        do {
            records = try await store.generations(before: before, limit: limit)
        } catch {
            throw APIError(error)
        }
        // A page of large generations is shorter than its limit: only the oldest generation ends the history.
        let oldest = store.statistics?.oldestGeneration ?? 1
        let next = records.last.flatMap { $0.number > oldest ? $0.number : nil }
        return try await applier.worker.run(about: records.countOfChanges) { [settings, reference] in
            SettingsInterface.Log.Reply(
                store: reference.store, generations: records.map { Generation($0, in: settings) }, next: next)
        }
    }

    /// Reads the generation that a change became; the reply is empty if it was never made.
    func log(id: String) async throws -> SettingsInterface.Log.Reply {
        SettingsInterface.Log.Reply(
            store: reference.store, generations: try await record(ofID: id).map { [Generation($0, in: settings)] } ?? []
        )
    }

    /// Returns the differences between two generations.
    func diff(from: Int64?, to: Int64?) async throws -> SettingsInterface.Diff.Reply {
        for number in [from, to] { if let number { try requireGeneration(number) } }
        let end = to ?? reference.generation
        let start = from ?? max(0, end - 1)
        let differences = try await differences(from: start, to: end)
        return try await applier.worker.run(about: differences.count) { [settings, reference] in
            // A secret that was written counts even if its value is the same: its equality must not be revealed.
            let (changes, omitted) = [ChangeRecord].records(
                of: differences.filter { $0.old != $0.new || settings.schema.hides($0.path) }, in: settings)
            return SettingsInterface.Diff.Reply(
                store: reference.store, from: start, to: end, changes: changes, omitted: omitted)
        }
    }

    /// Returns the generation before the caller's own newest change.
    ///
    /// - Throws: `APIError.conflict` if others have changed something since: they are named.
    func generationBeforeNewestChange(of author: Author) async throws -> Int64 {
        let found: NewestChange?
        do {
            found = try await store.newestChange(of: author.name)
        } catch {
            throw APIError(error)
        }
        guard let found, let before = found.before else {
            let reason =
                reference.generation == 0
                ? "nothing was ever committed"
                : "the history has no change in force of which it knows what was before; name a generation of 'cleat log'"
            throw APIError.unknownGeneration(
                generation: reference.generation, message: "there is nothing to roll back to: \(reason)")
        }
        guard let newest = found.later.first else { return before }
        let named =
            found.later.prefix(8).map { "\($0.number) of \($0.author)" }.joined(separator: ", ")
            + (found.later.count > 8 ? " and \(found.later.count - 8) more" : "")
        let whose =
            found.number.map { "generation \($0) is your newest change, and others came after it (\(named))" }
            ?? "the newest change is not yours (\(named))"
        throw APIError.conflict(
            reference,
            message: "\(whose); see 'cleat log', then name the generation to roll back to: "
                + "\(newest.number - 1) reverts the newest change only"
                + (found.number == nil ? "" : ", \(before) reverts yours with all that came after it"))
    }

    /// Throws if no generation has the number, before anything is computed with it.
    private func requireGeneration(_ number: Int64) throws(APIError) {
        guard (0...reference.generation).contains(number) else {
            throw APIError.unknownGeneration(
                generation: number,
                message: "there is no generation \(number); the last one is \(reference.generation), see 'cleat log'")
        }
    }

    /// Returns the changes that lead from one generation to another.
    ///
    /// - Throws: `APIError` if the history does not have them any more, or the store cannot be read.
    func differences(from start: Int64, to end: Int64) async throws -> [SettingDifference] {
        for number in [start, end] { try requireGeneration(number) }
        do {
            return try await store.differences(from: start, to: end, keepsSame: true)
        } catch {
            if error.code == .historyGone {
                throw APIError.unknownGeneration(generation: min(start, end), message: error.description)
            }
            throw APIError(error)
        }
    }

    // MARK: Changes that have ended

    /// Returns the reply to a caller that ends a change that has ended: the same as then, if it requests the same.
    func former(
        _ id: String, _ state: TransactionsInterface.End.State
    ) async throws -> TransactionsInterface.End {
        let end = try await ended(id)
        guard end.state == state else {
            let words =
                end.state == .confirmed
                ? "was confirmed as generation \(end.generation); 'cleat rollback' reverts it"
                : "was reverted by generation \(end.generation); make it again"
            throw APIError.noTransaction(id: id, message: "change \(id) \(words)")
        }
        return end
    }

    /// Returns the end of a change that is no longer on trial.
    ///
    /// - Throws: `APIError` if no such change has ended, or the store cannot be read.
    func ended(_ id: String) async throws -> TransactionsInterface.End {
        let record = try await record(ofID: id)
        let ended: TransactionsInterface.End.State? =
            switch record?.state {
            case .confirmed: .confirmed
            case .reverted: .reverted
            case .pending, .restored, nil: nil
            case .other(let word): throw APIError.unknownState(word, of: record?.number ?? 0)
            }
        guard let record, let ended else {
            throw APIError.noTransaction(id: id, message: "no change is on trial, and the history has no change \(id)")
        }
        let ending: GenerationRecord?
        do {
            ending = ended == .reverted ? try await store.record(reverting: record.number) : record
        } catch {
            throw APIError(error)
        }
        let reason: String? =
            switch ending?.note {
            case .reverts(_, _, let reason): reason
            case .confirmedBy: ending?.note?.text
            case .confirmedAgain, nil: nil
            }
        // An automatic retry may have reverted it: the answer says what was skipped in any case.
        return .init(
            id: id, store: reference.store, generation: (ending ?? record).number, state: ended,
            results: ended == .reverted ? ending?.results.flatMap([AdapterResult].init(stored:)) ?? [] : [],
            reason: reason)
    }
}

extension [GenerationRecord] {
    /// The number of changes in all generations.
    fileprivate var countOfChanges: Int { reduce(0) { $0 + $1.changes.count } }
}
