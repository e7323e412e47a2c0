import CleatAPI

extension StoreFile {
    /// Says how far the trial has come, where a restart must know: durable when this returns.
    ///
    /// A phase that is there already is not written again.
    ///
    /// - Parameter phase: `applying` or `reverting`; the others have verbs of their own.
    /// - Throws: an error where nothing is on trial, or that phase cannot follow; or what the storage said.
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

    /// Says that all is applied, and until when the trial waits for its confirmation: durable when this returns.
    ///
    /// - Parameters:
    ///   - deadline: the instant.
    ///   - fingerprints: what the resources were right after they were written; they count with the trial.
    ///   - results: what came of it, for the history; nil leaves what is there.
    /// - Throws: an error where nothing is on trial, or it is on its way back; or what the storage said.
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

    /// Moves the deadline of the trial, and counts that: durable when this returns.
    ///
    /// - Parameter deadline: the new instant; it may be an earlier one.
    /// - Throws: an error where nothing waits for its confirmation; or what the storage said.
    package func extend(to deadline: TrialDeadline) throws(StoreError) {
        let trial = try required()
        guard trial.phase == .awaitingConfirm else { throw wrongPhase(trial, "be extended") }
        try check(deadline, of: trial)
        try update(
            "deadline_boot = ?, deadline = ?, extended = extended + 1",
            [.text(deadline.bootID), .integer(deadline.bootTime)])
    }

    /// Says that the way back did not come to its end: durable when this returns.
    ///
    /// The trial stays, with all its mementos, so that the way back can be tried again.
    ///
    /// - Parameter failures: what went wrong; what is beyond `StoreLimits.failureBytes` is left out.
    /// - Throws: an error where nothing is on trial; or what the storage said.
    package func markRevertFailed(_ failures: String) throws(StoreError) {
        let trial = try required()
        let failures = failures.prefix(bytes: StoreLimits.failureBytes)
        guard trial.phase != .revertFailed || trial.failures != failures else { return }
        try update(
            "phase = ?, adapter = NULL, failures = ?", [.text(TrialPhase.revertFailed.word), .text(failures)])
    }

    /// The trial, without its changes and mementos.
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
