import CleatAPI

extension StoreFile {
    /// Confirms the generation on trial, with which the device boots from then on: durable when this returns, or still
    /// on trial.
    ///
    /// - Parameters:
    ///   - id: the id of the change on trial.
    ///   - resources: the resources that were restored to their origins; their origins and fingerprints are deleted.
    ///   - fingerprints: the fingerprints of the resources right after they were written, unless `awaitConfirm` got
    ///     them.
    ///   - note: the text to add to the comment, for the history.
    ///   - results: the results of applying it, for the history; nil keeps the stored ones.
    /// - Returns: the generation, or the record of an earlier confirmation.
    /// - Throws: an error if nothing, or another change, is on trial, if the change was undone or is being reverted, or
    ///   if an older release has committed since; or a storage error.
    package func confirm(
        id: String, forgetting resources: [String] = [], fingerprints: [StoredFingerprint] = [], note: String? = nil,
        results: String? = nil
    ) throws(StoreError) -> TrialOutcome {
        let database = try open()
        try check(fingerprints)
        try check(results: results, of: id)
        guard let trial = try trial(id) else {
            return .repeated(try ended(id, as: GenerationRecord.confirmed))
        }
        switch trial.phase {
        case .armed, .applying, .awaitingConfirm: break
        default: throw wrongPhase(trial, "be confirmed")
        }
        guard !trial.isOvertaken else {
            throw StoreError(
                .conflict, id,
                "The change “\(id)” cannot be confirmed, because an older release has changed the settings since; abort it "
                    + "and decide again.",
                generation: generation)
        }
        let next = trial.generation.generation
        let changes = try sqlite { () throws(SQLiteError) in try self.changes(of: next, database) }
        let added = try durably(database) {
            () throws(SQLiteError) -> (settings: Int64, sum: SettingsSum, bytes: Int64) in
            // This comes first, so that the pages of the mementos can be reused, also on a full disk.
            try self.dropTrial(database)
            let sum = try self.sum(afterTakingOver: next, database)
            let added = try self.takeOver(next, database)
            try database.run(
                "UPDATE generations SET state = ? WHERE number = ?",
                [.text(GenerationRecord.confirmed), .integer(next)])
            try self.keep(fingerprints, forgetting: resources, endsTrial: true, database)
            let told = try self.keep(results: results, of: next, database)
            let noted = try note.map { note throws(SQLiteError) in try self.note(note, on: next, database) } ?? 0
            return (added, sum, told + noted)
        }
        if !fingerprints.isEmpty { noteLaterTables() }
        number = next
        pending = nil
        settingsCount += Int(clamping: added.settings)
        settingsSum = added.sum
        noteNewest()
        historyBytes += added.bytes
        return .confirmed(generation, changes)
    }

    /// Undoes the trial: durable when this returns, or still on trial.
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
    /// - Returns: the generation that undoes it, or the record of an earlier revert.
    /// - Throws: an error if nothing, or another change, is on trial, or if the change was confirmed; or a storage
    ///   error.
    package func revert(
        id: String? = nil, stamp: CommitStamp, author: String = "cleatd", reason: String, applied: String? = nil,
        results: String? = nil
    ) throws(StoreError) -> TrialOutcome {
        let database = try open()
        for text in [applied, results] { try check(results: text, of: id ?? "") }
        let trial: StoredTrial
        if let id {
            guard let found = try self.trial(id) else {
                return .repeated(try ended(id, as: GenerationRecord.reverted))
            }
            trial = found
        } else {
            trial = try required()
        }
        let next = try nextNumber(leaving: 0)
        let undone = trial.generation.generation
        let comment = (Self.undone(undone, trial.id) + reason).prefix(bytes: StoreLimits.commentBytes)
        let request = CommitRequest(
            changes: [], id: try freeID(for: trial), hash: "", author: author.prefix(bytes: StoreLimits.wordBytes),
            comment: comment, stamp: stamp)
        let lowSpace = hasLowSpace
        let done = try durably(database) {
            () throws(SQLiteError) -> (pruned: Pruned, size: Int64, changes: [StoredChange]) in
            try self.dropTrial(database)
            try database.run("DELETE FROM origins WHERE generation = ?", [.integer(undone)])
            if self.hasFingerprints { try database.run("DELETE FROM fingerprints WHERE pending = 1") }
            // The revert is as large as the change.
            let expected: Int64? = try database.value(
                "SELECT size FROM generations WHERE number = ?", [.integer(undone)])
            let pruned = try self.prune(adding: (1, expected ?? 0), lowSpace: lowSpace, database)
            let size = try self.insertInverse(of: undone, as: next, database) + 160 + Int64(comment.utf8.count)
            try self.insert(request, next, size, state: GenerationRecord.confirmed, database)
            try database.run(
                "UPDATE generations SET state = ? WHERE number = ?",
                [.text(GenerationRecord.reverted), .integer(undone)])
            let told =
                try self.keep(results: applied, of: undone, database) + self.keep(results: results, of: next, database)
            return (pruned, size + told, try self.changes(of: next, database))
        }
        number = next
        lastNumber = next
        pending = nil
        noteNewest()
        historyCount += 1 - done.pruned.count
        historyBytes += done.size - done.pruned.bytes
        return .reverted(generation, done.changes)
    }

    /// Returns the start of the comment of the generation that undoes another one; the reason follows.
    package static func undone(_ generation: Int64, _ id: String) -> String {
        "generation \(generation) (“\(id)”) was undone: "
    }

    /// Reads the trial with an id, without its changes and mementos; nil if no change with that id is on trial.
    private func trial(_ id: String) throws(StoreError) -> StoredTrial? {
        guard let trial = try head(), trial.id == id else { return nil }
        return trial
    }

    /// Returns the generation of a trial that has ended as `state`; throws if there is none.
    private func ended(_ id: String, as state: String) throws(StoreError) -> GenerationRecord {
        let record = try record(id: id)
        if let record, record.state == state { return record }
        if let record, [GenerationRecord.confirmed, GenerationRecord.reverted].contains(record.state) {
            throw StoreError(
                .trialEnded, id,
                "The change “\(id)”, generation \(record.number), is \(record.state) already; see the history, and make "
                    + "another change.",
                generation: GenerationRef(store: storeID, generation: record.number))
        }
        if let trial = try head() {
            throw StoreError(
                .otherTrial, id,
                "The change “\(id)” is not on trial; “\(trial.id)” of “\(trial.owner)” is: name that one.",
                generation: trial.generation)
        }
        throw StoreError(
            .noTrial, id, "The change “\(id)” is not on trial, and nothing else is; see the history.",
            generation: generation)
    }

    /// Returns an id for the generation that undoes a trial, which no client has used.
    private func freeID(for trial: StoredTrial) throws(StoreError) -> String {
        let number = trial.generation.generation
        var candidates = ["revert-\(trial.id)", "revert-\(number)"].filter { $0.utf8.count <= StoreLimits.idBytes }
        candidates += (2...64).map { "revert-\(number)-\($0)" }
        for candidate in candidates where try record(id: candidate) == nil { return candidate }
        return try StoreDirectory.randomID()
    }

    /// Applies the changes of a generation to the settings; returns the change of their number.
    private func takeOver(_ next: Int64, _ database: Database) throws(SQLiteError) -> Int64 {
        try database.run(
            """
            INSERT OR REPLACE INTO settings(path, value, generation) \
            SELECT path, new, generation FROM changes WHERE generation = ? AND new IS NOT NULL
            """, [.integer(next)])
        try database.run(
            """
            DELETE FROM settings WHERE path IN (SELECT path FROM changes WHERE generation = ? AND new IS NULL)
            """, [.integer(next)])
        return try database.value(
            "SELECT coalesce(sum((new IS NOT NULL) - (old IS NOT NULL)), 0) FROM changes WHERE generation = ?",
            [.integer(next)]) ?? 0
    }

    /// Returns the checksum of the settings with the changes of a generation applied.
    func sum(afterTakingOver next: Int64, _ database: Database) throws(SQLiteError) -> SettingsSum {
        var sum = settingsSum
        let rows = try database.prepare(
            """
            SELECT changes.path, new, value FROM changes LEFT JOIN settings ON settings.path = changes.path \
            WHERE changes.generation = ?
            """, [.integer(next)])
        while try rows.step() {
            let path: String = try rows.column(0)
            if let old: String = try rows.column(2) { sum.remove(path, old) }
            if let new: String = try rows.column(1) { sum.add(path, new) }
        }
        return sum
    }

    /// Writes the changes from a generation back to the confirmed settings; returns their size in bytes.
    ///
    /// If an older release has committed since, its settings stay.
    private func insertInverse(of undone: Int64, as next: Int64, _ database: Database) throws(SQLiteError) -> Int64 {
        try database.run(
            """
            INSERT INTO changes(generation, path, old, new) \
            SELECT ?1, path, new, (SELECT value FROM settings WHERE settings.path = trial.path) FROM changes AS trial \
            WHERE generation = ?2 AND NOT EXISTS (SELECT 1 FROM changes AS later \
            WHERE later.generation > ?2 AND later.generation < ?1 AND later.path = trial.path)
            """, [.integer(next), .integer(undone)])
        return try database.value(
            """
            SELECT coalesce(sum(16 + length(CAST(path AS BLOB)) + coalesce(length(CAST(old AS BLOB)), 0) \
            + coalesce(length(CAST(new AS BLOB)), 0)), 0) FROM changes WHERE generation = ?
            """, [.integer(next)]) ?? 0
    }

    func dropTrial(_ database: Database) throws(SQLiteError) {
        try database.run("DELETE FROM mementos")
        try database.run("DELETE FROM trial")
        try dropProbes(database)
    }
}
