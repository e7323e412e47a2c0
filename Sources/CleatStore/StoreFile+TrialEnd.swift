import CleatAPI

extension StoreFile {
    /// Makes the generation on trial the one that boots: durable when this returns, or still on trial.
    ///
    /// - Parameters:
    ///   - id: the id of the change on trial.
    ///   - resources: the resources that were brought back to their origins, which are forgotten.
    ///   - fingerprints: what the resources were right after they were written, where `awaitConfirm` has not told it.
    ///   - note: what is added to the comment, for the history.
    ///   - results: what came of it, for the history; nil leaves what is there.
    /// - Returns: the generation, or that it was confirmed before.
    /// - Throws: an error where nothing, or something else, is on trial, where it was undone, or is on its way back, or
    ///   where an older release has committed meanwhile; or what the storage said.
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
                    + "and decide anew.",
                generation: generation)
        }
        let next = trial.generation.generation
        let changes = try sqlite { () throws(SQLiteError) in try self.changes(of: next, database) }
        let added = try durably(database) {
            () throws(SQLiteError) -> (settings: Int64, sum: SettingsSum, bytes: Int64) in
            // First of all, so that the pages of the mementos can be used again, also on a full disk.
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
    /// History gains a generation that is equal to the one before the trial. To be called when everything is back as it
    /// was: the mementos go, and the origins that the trial has brought.
    ///
    /// - Parameters:
    ///   - id: the id of the change on trial; nil for whatever is.
    ///   - stamp: when.
    ///   - author: who has it undone.
    ///   - reason: why, for the history; what is too long for a comment is left out.
    ///   - applied: what came of applying it, for the history; nil leaves what is there.
    ///   - results: what came of undoing it, for the history.
    /// - Returns: the generation that undoes it, or that it was undone before.
    /// - Throws: an error where nothing, or something else, is on trial, or where it was confirmed; or what the storage
    ///   said.
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
            // The way back is as large as the way there.
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

    /// How the comment begins of the generation that undoes another one; the reason follows.
    package static func undone(_ generation: Int64, _ id: String) -> String {
        "generation \(generation) (“\(id)”) was undone: "
    }

    /// The trial of an id, without its changes and mementos; nil where nothing with that id is on trial.
    private func trial(_ id: String) throws(StoreError) -> StoredTrial? {
        guard let trial = try head(), trial.id == id else { return nil }
        return trial
    }

    /// The generation that a trial became which has ended as `state`.
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

    /// An id for the generation that undoes a trial, which no client has used.
    private func freeID(for trial: StoredTrial) throws(StoreError) -> String {
        let number = trial.generation.generation
        var candidates = ["revert-\(trial.id)", "revert-\(number)"].filter { $0.utf8.count <= StoreLimits.idBytes }
        candidates += (2...64).map { "revert-\(number)-\($0)" }
        for candidate in candidates where try record(id: candidate) == nil { return candidate }
        return try StoreDirectory.randomID()
    }

    /// Moves what a generation changes into the settings, and says how many more there are then.
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

    /// The sum of the settings when what a generation changes is among them.
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

    /// Writes the changes that lead back from a generation to the settings, and says how many bytes they are.
    ///
    /// Where an older release has committed since, what it has set stays.
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
