import CleatAPI

extension StoreFile {
    /// Stores the phase of the trial, for a restart of the service: durable when this returns.
    ///
    /// A phase that is stored already is not written again.
    ///
    /// - Parameter phase: `applying` or `reverting`; the other phases have methods of their own.
    /// - Throws: an error if nothing is on trial, or that phase cannot follow; or a storage error.
    package func setPhase(_ phase: TrialPhase) throws(StoreError) {
        let trial = try required()
        guard trial.phase != phase else { return }
        switch (phase, trial.phase) {
        case (.applying(let adapter), .armed), (.applying(let adapter), .applying):
            guard !adapter.isEmpty, adapter.utf8.count <= StoreLimits.wordBytes else {
                throw StoreError(
                    .limit, trial.id,
                    "The name of an adapter has \(adapter.utf8.count) bytes; the limit is 1 to \(StoreLimits.wordBytes) "
                        + "bytes.")
            }
        case (.reverting, _): break
        default: throw wrongPhase(trial, "become “\(phase.word)”")
        }
        try update("phase = ?, adapter = ?", [.text(phase.word), .optional(phase.adapter)])
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
        let trial = try required()
        try check(results: results, of: trial.id)
        switch trial.phase {
        case .armed, .applying: break
        default: throw wrongPhase(trial, "begin to wait for its confirmation")
        }
        try check(deadline, of: trial)
        try check(fingerprints)
        try update(
            "phase = ?, adapter = NULL, deadline_boot = ?, deadline = ?",
            [.text(TrialPhase.awaitingConfirm.word), .text(deadline.bootID), .integer(deadline.bootTime)],
            fingerprints, (trial.generation.generation, results))
    }

    /// Moves the deadline of the trial, and counts the extension: durable when this returns.
    ///
    /// - Parameter deadline: the new deadline; it may be an earlier one.
    /// - Throws: an error if no change waits for its confirmation; or a storage error.
    package func extend(to deadline: TrialDeadline) throws(StoreError) {
        let trial = try required()
        guard trial.phase == .awaitingConfirm else { throw wrongPhase(trial, "be extended") }
        try check(deadline, of: trial)
        try update(
            "deadline_boot = ?, deadline = ?, extended = extended + 1",
            [.text(deadline.bootID), .integer(deadline.bootTime)])
    }

    /// Stores that the revert failed: durable when this returns.
    ///
    /// The trial stays, with all its mementos, so that the revert can be tried again.
    ///
    /// - Parameter failures: the errors, truncated to `StoreLimits.failureBytes`.
    /// - Throws: an error if nothing is on trial; or a storage error.
    package func markRevertFailed(_ failures: String) throws(StoreError) {
        let trial = try required()
        let failures = failures.prefix(bytes: StoreLimits.failureBytes)
        guard trial.phase != .revertFailed || trial.failures != failures else { return }
        try update(
            "phase = ?, adapter = NULL, failures = ?", [.text(TrialPhase.revertFailed.word), .text(failures)])
    }

    /// Reads the trial without its changes and mementos; throws if nothing is on trial.
    func required() throws(StoreError) -> StoredTrial {
        if let trial = try head() { return trial }
        throw StoreError(
            .noTrial, directory.path, "Nothing is on trial; see the history for what became of the last change.",
            generation: generation)
    }

    func wrongPhase(_ trial: StoredTrial, _ what: String) -> StoreError {
        StoreError(
            .wrongPhase, trial.id,
            "The change “\(trial.id)” is “\(trial.phase.word)” and cannot \(what); abort it, which brings everything back.",
            generation: trial.generation)
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
        let database = try open()
        historyBytes += try durably(database) { () throws(SQLiteError) -> Int64 in
            try database.run("UPDATE trial SET \(columns)", values)
            let growth = try self.keep(results: outcome?.results, of: outcome?.generation ?? 0, database)
            if fingerprints.isEmpty { return growth }
            if !self.hasFingerprints { try self.makeLaterTables(database) }
            try self.insert(fingerprints, isPending: true, database)
            return growth
        }
        if !fingerprints.isEmpty { noteLaterTables() }
    }
}
