import CleatIO
import CleatSettings

extension Trials {

    /// Confirms the generation on trial, with which the device boots from then on: durable when this returns, or still
    /// on trial.
    ///
    /// - Parameters:
    ///   - id: the id of the change on trial.
    ///   - resources: the resources that were restored to their origins; their origins and fingerprints are deleted.
    ///   - fingerprints: the fingerprints of the resources right after they were written, unless `awaitConfirm` got
    ///     them.
    ///   - note: the probes that confirm it, or the reason of a second confirmation; nil if a caller confirms it.
    ///   - results: the results of applying it, for the history; nil keeps the stored ones.
    /// - Returns: the generation, or the record of an earlier confirmation.
    /// - Throws: an error if nothing, or another change, is on trial, or if the change is reverted or being reverted;
    ///   or a storage error.
    package func confirm(
        id: String, forgetting resources: [String] = [], fingerprints: [StoredFingerprint] = [],
        note: GenerationNote? = nil,
        results: String? = nil
    ) throws(StoreError) -> TrialOutcome {
        let database = try store.open()
        try self.resources.check(fingerprints)
        try history.check(results: results, of: id)
        guard let trial = try table.head(of: id) else {
            return .repeated(try ended(id, as: .confirmed))
        }
        guard [.armed, .awaitingConfirm].contains(trial.phase) else { throw wrongPhase(trial, "be confirmed") }
        let next = trial.generation.generation
        // A repair of the store has replaced the settings that it was made on.
        guard store.figures.number < next else {
            throw StoreError(
                .conflict, id,
                "The settings were restored by a repair of the store since change “\(id)” was made; abort it.")
        }
        let settings = SettingsTable(store: store)
        let changes = try store.sqlite { () throws(SQLiteError) in try history.changes(of: next, database) }
        let added = try store.durably(database) {
            () throws(SQLiteError) -> (settings: Int64, sum: SettingsSum, bytes: Int64) in
            // This comes first, so that the pages of the mementos can be reused, also on a full disk.
            try table.drop(database)
            let sum = try settings.sum(afterTakingOver: next, database)
            let added = try settings.takeOver(next, database)
            try history.set(.confirmed, of: next, database)
            // Only a trial that waited for its confirmation has fingerprints of its own; finding them reads all.
            try self.resources.keep(
                fingerprints, forgetting: resources, endsTrial: trial.phase == .awaitingConfirm, database)
            let growth = try history.keep(results: results, of: next, database)
            return (added, sum, growth + (try history.keep(note, of: next, database)))
        }
        store.figures.number = next
        store.figures.pending = nil
        store.figures.settingsCount += Int(clamping: added.settings)
        store.figures.settingsSum = added.sum
        store.noteNewest()
        store.figures.historyBytes += added.bytes
        return .confirmed(store.generation, changes)
    }

    /// Reverts the trial: durable when this returns, or still on trial.
    ///
    /// The history gains a generation with the settings before the trial. The caller restores everything first: the
    /// mementos are deleted, and the origins that the trial added.
    ///
    /// - Parameters:
    ///   - id: the id of the change on trial; nil for any.
    ///   - stamp: the time.
    ///   - author: the author of the revert.
    ///   - reason: the reason, for the history; it is truncated to the length of a comment.
    ///   - applied: the results of applying it, for the history; nil keeps the stored ones.
    ///   - results: the results of reverting it, for the history.
    /// - Returns: the generation that reverts it, or the record of an earlier revert.
    /// - Throws: an error if nothing, or another change, is on trial, or if the change was confirmed; or a storage
    ///   error.
    package func revert(
        id: String? = nil, stamp: CommitStamp, author: String = "cleatd", reason: String, applied: String? = nil,
        results: String? = nil
    ) throws(StoreError) -> TrialOutcome {
        let database = try store.open()
        for text in [applied, results] { try history.check(results: text, of: id ?? "") }
        let trial: StoredTrial
        if let id {
            guard let found = try table.head(of: id) else {
                return .repeated(try ended(id, as: .reverted))
            }
            trial = found
        } else {
            trial = try table.required()
        }
        let next = try store.nextNumber(leaving: 0)
        let reverted = trial.generation.generation
        let note = GenerationNote.reverts(reverted, id: trial.id, reason: reason)
        let request = CommitRequest(
            changes: [], id: try freeID(for: trial), hash: "", author: author.prefix(bytes: StoreLimits.wordBytes),
            stamp: stamp)
        let lowSpace = store.hasLowSpace
        let done = try store.durably(database) {
            () throws(SQLiteError) -> (pruned: (count: Int, bytes: Int64), size: Int64, changes: [StoredChange]) in
            try table.drop(database)
            try database.run("DELETE FROM origins WHERE generation = ?", [.integer(reverted)])
            try database.run("DELETE FROM fingerprints WHERE pending = 1")
            // The revert is as large as the change.
            let expected: Int64? = try database.value(
                "SELECT size FROM generations WHERE number = ?", [.integer(reverted)])
            let pruned = try history.prune(adding: (1, expected ?? 0), lowSpace: lowSpace, database)
            let size = try history.insertInverse(of: reverted, as: next, database) + 160
            try history.insert(request, next, size, state: .confirmed, database)
            try history.set(.reverted, of: reverted, database)
            let growth =
                try history.keep(results: applied, of: reverted, database)
                + history.keep(results: results, of: next, database) + history.keep(note, of: next, database)
            return (pruned, size + growth, try history.changes(of: next, database))
        }
        store.figures.number = next
        store.figures.lastNumber = next
        store.figures.pending = nil
        store.noteNewest()
        store.figures.add(done.size, pruned: done.pruned)
        return .reverted(store.generation, done.changes)
    }

    /// Returns the generation of a trial that has ended as `state`; throws if there is none.
    private func ended(_ id: String, as state: GenerationState) throws(StoreError) -> GenerationRecord {
        let record = try history.record(id: id)
        if let record, record.state == state { return record }
        if let record, record.state == .confirmed || record.state == .reverted {
            throw StoreError(
                .trialEnded, id,
                "The change “\(id)”, generation \(record.number), is \(record.state.word) already; see 'cleat log', and make "
                    + "another change.",
                generation: store.reference(record.number))
        }
        if let trial = try table.head() {
            throw StoreError(
                .otherTrial, id,
                "The change “\(id)” is not on trial; “\(trial.id)” of “\(trial.owner)” is: name that one.",
                generation: trial.generation)
        }
        throw StoreError(
            .noTrial, id, "The change “\(id)” is not on trial, and no other change is; see 'cleat log'.",
            generation: store.generation)
    }

    /// Returns an id for the generation that reverts a trial, which no client has used.
    private func freeID(for trial: StoredTrial) throws(StoreError) -> String {
        let number = trial.generation.generation
        var candidates = ["revert-\(trial.id)", "revert-\(number)"].filter { $0.utf8.count <= StoreLimits.idBytes }
        candidates += (2...64).map { "revert-\(number)-\($0)" }
        for candidate in candidates where try history.record(id: candidate) == nil { return candidate }
        return RandomID.make()
    }
}
