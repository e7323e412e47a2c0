import CleatSettings

/// The change on trial of a store: it takes effect in the system, and in the store only when it is confirmed.
package struct Trials {
    let store: StoreDatabase

    var table: TrialTable { TrialTable(store: store) }
    var history: History { History(store: store) }
    var resources: ResourceTable { ResourceTable(store: store) }

    /// Reads the generation that is on trial, with its changes, probes and all its mementos; nil if none is.
    package func current() throws(StoreError) -> StoredTrial? { try table.trial() }

    /// Puts changes on trial, as a pending generation: durable when this returns, with everything that a revert needs,
    /// or not stored at all.
    ///
    /// The confirmed settings stay unchanged: `StoreFile.generation`, `SettingsTable` and the second copy still
    /// hold the state with which the device boots. A known id is handled first, as in `Commits.commit(_:)`.
    ///
    /// - Parameters:
    ///   - request: the changes to write.
    ///   - trial: the confirm window, the mementos and the origins.
    /// - Returns: the outcome.
    /// - Throws: a conflict, a reused id, a limit, a pending trial, or a storage error.
    package func arm(_ request: CommitRequest, _ trial: TrialRequest) throws(StoreError) -> ArmOutcome {
        let database = try store.open()
        let commits = Commits(store: store)
        let contents = ContentTable(store: store)
        try commits.checkLimits(request)
        try resources.check(trial.mementos, origins: trial.origins, of: request.id)
        try check(trial.probes, of: request.id)
        try contents.check(trial.contents, of: request.id)
        if let former = try commits.former(request) { return .repeated(former) }
        try table.refuseWhilePending()
        try commits.checkExpected(request)
        let rows = try SettingsTable(store: store).effectiveRows(request, database)
        guard !rows.isEmpty || trial.mayChangeNothing else { return .unchanged(store.generation) }
        let origins = try resources.newOrigins(trial.origins, database)
        try contents.checkTotal(of: trial.contents, database)
        try write(rows, request, trial, origins, database)
        return .pending(store.reference(store.figures.lastNumber), rows.map(\.change))
    }

    private func write(
        _ rows: [ChangedRow], _ request: CommitRequest, _ trial: TrialRequest, _ origins: [StoredMemento],
        _ database: Database
    ) throws(StoreError) {
        let next = try store.nextNumber()
        let size = ChangedRow.size(of: rows, comment: request.comment)
        // The rows are written a second time when the trial ends, by a confirmation or a revert.
        let states =
            (trial.mementos + origins).reduce(0) { $0 + Int64($1.state.count + $1.resource.utf8.count) }
            + trial.contents.reduce(0) { $0 + Int64($1.bytes.count) }
        try store.checkSpace(for: 2 * size + states, of: request.id, database)
        let lowSpace = store.hasLowSpace
        let pruned = try store.durably(database) { () throws(SQLiteError) -> (count: Int, bytes: Int64) in
            let pruned = try history.prune(adding: (1, size), lowSpace: lowSpace, armed: next, database)
            try history.insert(rows, next, database)
            try history.insert(request, next, size, state: .pending, database)
            try table.insert(trial, request, next, database)
            try resources.insert(origins, next, database)
            try ContentTable(store: store).insert(trial.contents, next, database)
            return pruned
        }
        store.figures.lastNumber = next
        store.figures.pending = next
        store.noteNewest()
        store.figures.add(size, pruned: pruned)
    }

    /// Stores that the revert has started, for a restart of the service: durable when this returns.
    ///
    /// - Throws: an error if nothing is on trial; or a storage error.
    package func markReverting() throws(StoreError) {
        guard try table.required().phase != .reverting else { return }
        try update("phase = ?", [.text(TrialPhase.reverting.word)])
    }

    /// Stores that everything is applied, and the deadline for the confirmation: durable when this returns.
    ///
    /// - Parameters:
    ///   - deadline: the end of the confirm window.
    ///   - fingerprints: the fingerprints of the resources right after they were written; they belong to the trial.
    ///   - results: the results of applying it, for the history; nil keeps the stored ones.
    /// - Throws: an error if nothing is on trial, or it is being reverted; or a storage error.
    package func awaitConfirm(
        deadline: TrialDeadline, fingerprints: [StoredFingerprint] = [], results: String? = nil
    ) throws(StoreError) {
        let trial = try table.required()
        try history.check(results: results, of: trial.id)
        guard trial.phase == .armed else { throw wrongPhase(trial, "begin to wait for its confirmation") }
        try check(deadline, of: trial)
        try resources.check(fingerprints)
        try update(
            "phase = ?, deadline_boot = ?, deadline = ?",
            [.text(TrialPhase.awaitingConfirm.word), .text(deadline.bootID), .integer(deadline.bootTime)],
            fingerprints, (trial.generation.generation, results))
    }

    /// Moves the deadline of the trial, and counts the extension: durable when this returns.
    ///
    /// - Parameter deadline: the new deadline; it may be an earlier one.
    /// - Throws: an error if no change waits for its confirmation; or a storage error.
    package func extend(to deadline: TrialDeadline) throws(StoreError) {
        let trial = try table.required()
        guard trial.phase == .awaitingConfirm else { throw wrongPhase(trial, "be extended") }
        try check(deadline, of: trial)
        try update(
            "deadline_boot = ?, deadline = ?",
            [.text(deadline.bootID), .integer(deadline.bootTime)])
    }

    /// Stores that the revert failed: durable when this returns.
    ///
    /// The trial stays, with all its mementos, so that the revert can be tried again.
    ///
    /// - Parameter failures: the errors, truncated to `StoreLimits.failureBytes`.
    /// - Throws: an error if nothing is on trial; or a storage error.
    package func markRevertFailed(_ failures: String) throws(StoreError) {
        let trial = try table.required()
        let failures = failures.prefix(bytes: StoreLimits.failureBytes)
        guard trial.phase != .revertFailed || trial.failures != failures else { return }
        try update(
            "phase = ?, failures = ?", [.text(TrialPhase.revertFailed.word), .text(failures)])
    }

    func wrongPhase(_ trial: StoredTrial, _ what: String) -> StoreError {
        StoreError(
            .wrongPhase, trial.id,
            "The change “\(trial.id)” is “\(trial.phase.word)” and cannot \(what); abort it, which restores everything.",
            generation: trial.generation)
    }

    /// Throws if probes exceed the limits.
    private func check(_ probes: [StoredProbe], of id: String) throws(StoreError) {
        guard probes.count <= StoreLimits.probes else {
            throw StoreError(
                .limit, id,
                "The change was not put on trial, because it has \(probes.count) probes; the limit is "
                    + "\(StoreLimits.probes) probes.")
        }
        for probe in probes where probe.probe.isEmpty || probe.probe.utf8.count > StoreLimits.wordBytes {
            throw StoreError(
                .limit, id,
                "The change was not put on trial, because a probe has \(probe.probe.utf8.count) bytes; the limit is 1 to "
                    + "\(StoreLimits.wordBytes) bytes.")
        }
    }

    private func check(_ deadline: TrialDeadline, of trial: StoredTrial) throws(StoreError) {
        guard deadline.bootID.isEmpty || deadline.bootID.utf8.count > StoreLimits.wordBytes else { return }
        throw StoreError(
            .limit, trial.id,
            "The boot id of a deadline has \(deadline.bootID.utf8.count) bytes; the limit is 1 to "
                + "\(StoreLimits.wordBytes) bytes.")
    }

    private func update(
        _ columns: String, _ values: [SQLiteValue], _ fingerprints: [StoredFingerprint] = [],
        _ outcome: (generation: Int64, results: String?)? = nil
    ) throws(StoreError) {
        let database = try store.open()
        store.figures.historyBytes += try store.durably(database) { () throws(SQLiteError) -> Int64 in
            try table.update(columns, values, database)
            let growth = try history.keep(results: outcome?.results, of: outcome?.generation ?? 0, database)
            try resources.insert(fingerprints, isPending: true, database)
            return growth
        }
    }
}
