import CleatAPI

extension StoreFile {
    /// Puts changes on trial, as a pending generation: durable when this returns, with everything that a revert needs,
    /// or not stored at all.
    ///
    /// The confirmed settings stay unchanged: `generation`, `snapshot()` and the second copy still hold the state with
    /// which the device boots. A known id is handled first, as in `commit(_:)`.
    ///
    /// - Parameters:
    ///   - request: the changes to write.
    ///   - trial: the confirm window, the mementos and the origins.
    /// - Returns: the outcome.
    /// - Throws: a conflict, a reused id, a limit, a pending trial, or a storage error.
    package func arm(_ request: CommitRequest, _ trial: TrialRequest) throws(StoreError) -> ArmOutcome {
        let database = try open()
        try checkLimits(request)
        try checkLimits(trial, of: request.id)
        try check(trial.probes, of: request.id)
        try check(trial.contents, of: request.id)
        if let former = try former(request) { return .repeated(former) }
        try refuseWhilePending()
        try checkExpected(request)
        let rows = try effectiveRows(request, database)
        guard !rows.isEmpty || trial.mayChangeNothing else { return .unchanged(generation) }
        let origins = try newOrigins(trial.origins, database)
        try checkTotal(of: trial.contents, database)
        try write(rows, request, trial, origins, database)
        return .pending(GenerationRef(store: storeID, generation: lastNumber), rows.map(\.change))
    }

    func checkLimits(_ trial: TrialRequest, of id: String) throws(StoreError) {
        func refuse(_ subject: String, _ what: String, _ limit: String) -> StoreError {
            StoreError(.limit, subject, "The change was not put on trial, because \(what); the limit is \(limit).")
        }
        if max(trial.mementos.count, trial.origins.count) > StoreLimits.mementos {
            throw refuse(
                id, "it touches \(max(trial.mementos.count, trial.origins.count)) resources",
                "\(StoreLimits.mementos) resources")
        }
        var bytes = 0
        for memento in trial.mementos + trial.origins {
            let name = memento.resource.utf8.count
            if name == 0 || name > StoreLimits.resourceBytes {
                throw refuse(
                    id, "the name of a resource has \(name) bytes", "1 to \(StoreLimits.resourceBytes) bytes")
            }
            let word = memento.adapter.utf8.count
            if word == 0 || word > StoreLimits.wordBytes {
                throw refuse(
                    memento.resource, "the name of the adapter of “\(memento.resource)” has \(word) bytes",
                    "1 to \(StoreLimits.wordBytes) bytes")
            }
            if memento.state.count > StoreLimits.mementoBytes {
                throw refuse(
                    memento.resource,
                    "what “\(memento.resource)” is now takes \(memento.state.count) bytes to bring back",
                    "\(StoreLimits.mementoBytes) bytes")
            }
            bytes += memento.state.count
        }
        if bytes > StoreLimits.trialBytes {
            throw refuse(
                id, "what it touches takes \(bytes) bytes to bring back", "\(StoreLimits.trialBytes) bytes")
        }
    }

    /// Returns the origins that the store does not have yet; of several for the same resource the first one.
    func newOrigins(_ origins: [StoredMemento], _ database: Database) throws(StoreError) -> [StoredMemento] {
        guard !origins.isEmpty else { return [] }
        var known: Set<String> = []
        var bytes: Int64 = 0
        for origin in try self.origins() {
            known.insert(origin.resource)
            bytes += origin.size
        }
        let fresh = origins.filter { known.insert($0.resource).inserted }
        bytes += fresh.reduce(0) { $0 + Int64($1.state.count) }
        if bytes > StoreLimits.originsBytes, let first = fresh.first {
            throw StoreError(
                .limit, first.resource,
                "The change was not put on trial, because the former states of all that was ever touched would take "
                    + "\(bytes) bytes; the limit is \(StoreLimits.originsBytes) bytes.")
        }
        return fresh
    }

    private func write(
        _ rows: [ChangedRow], _ request: CommitRequest, _ trial: TrialRequest, _ origins: [StoredMemento],
        _ database: Database
    ) throws(StoreError) {
        let next = try nextNumber()
        let size = ChangedRow.size(of: rows, comment: request.comment)
        // The rows are written a second time when the trial ends, by a confirmation or a revert.
        let states =
            (trial.mementos + origins).reduce(0) { $0 + Int64($1.state.count + $1.resource.utf8.count) }
            + trial.contents.reduce(0) { $0 + Int64($1.bytes.count) }
        try checkRoom(for: 2 * size + states, of: request.id, database)
        let lowSpace = hasLowSpace
        let pruned = try durably(database) { () throws(SQLiteError) -> Pruned in
            let pruned = try self.prune(adding: (1, size), lowSpace: lowSpace, armed: next, database)
            if !self.hasTrialTables || !self.hasFingerprints || !self.hasProbes { try self.makeLaterTables(database) }
            try self.insert(rows, next, database)
            try self.insert(request, next, size, state: GenerationRecord.pending, database)
            try self.insert(trial, request, next, database)
            try self.insert(origins, next, database)
            try self.insert(trial.probes, next, database)
            try self.insert(trial.contents, next, database)
            // Rows that an older release left of a trial that it ended.
            try database.run("DELETE FROM fingerprints WHERE pending = 1")
            return pruned
        }
        noteLaterTables()
        if !trial.contents.isEmpty { hasContents = true }
        lastNumber = next
        pending = next
        noteNewest()
        historyCount += 1 - pruned.count
        historyBytes += size - pruned.bytes
    }

    /// Writes the origins of resources, for the generation that touches them first.
    func insert(_ origins: [StoredMemento], _ next: Int64, _ database: Database) throws(SQLiteError) {
        for origin in origins {
            try database.run(
                "INSERT INTO origins(resource, adapter, generation, state) VALUES(?, ?, ?, ?)",
                [.text(origin.resource), .text(origin.adapter), .integer(next), .blob(origin.state)])
        }
    }

    private func insert(
        _ trial: TrialRequest, _ request: CommitRequest, _ next: Int64, _ database: Database
    ) throws(SQLiteError) {
        try database.run(
            """
            INSERT INTO trial(single, generation, id, owner, phase, window, extended, time, boot_id, boot_time, \
            synchronised) VALUES(1, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)
            """,
            [
                .integer(next), .text(request.id), .text(request.author), .text(TrialPhase.armed.word),
                trial.window.map(SQLiteValue.integer) ?? .null, .integer(request.stamp.time),
                .text(request.stamp.bootID), .integer(request.stamp.bootTime),
                .integer(request.stamp.synchronised ? 1 : 0),
            ])
        var position: Int64 = 0
        for memento in trial.mementos {
            try database.run(
                "INSERT INTO mementos(position, generation, resource, adapter, state) VALUES(?, ?, ?, ?, ?)",
                [
                    .integer(position), .integer(next), .text(memento.resource), .text(memento.adapter),
                    .blob(memento.state),
                ])
            position += 1
        }
    }
}
