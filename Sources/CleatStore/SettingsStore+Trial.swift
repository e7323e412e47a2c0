extension SettingsStore {
    /// Puts changes on trial, as a pending generation: durable when this returns, with all that the way back needs, or
    /// not there at all.
    ///
    /// What is confirmed stays as it is: `snapshot()` and the second copy still say what boots.
    ///
    /// - Parameters:
    ///   - request: what to write.
    ///   - trial: the window, and what the resources were.
    /// - Returns: what became of it.
    /// - Throws: a conflict, a reused id, a limit, a pending trial, or what the storage said.
    package func arm(_ request: CommitRequest, _ trial: TrialRequest) throws(StoreError) -> ArmOutcome {
        try changing { file throws(StoreError) in try file.arm(request, trial) }
    }

    /// Says how far the trial has come, where a restart must know: durable when this returns.
    ///
    /// - Parameter phase: `applying` or `reverting`; the others have verbs of their own.
    /// - Throws: an error where nothing is on trial, or that phase cannot follow; or what the storage said.
    package func setPhase(_ phase: TrialPhase) throws(StoreError) {
        try writing { file throws(StoreError) in try file.setPhase(phase) }
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
        try writing { file throws(StoreError) in
            try file.awaitConfirm(deadline: deadline, fingerprints: fingerprints, results: results)
        }
    }

    /// Moves the deadline of the trial, and counts that: durable when this returns.
    ///
    /// - Parameter deadline: the new instant; it may be an earlier one.
    /// - Throws: an error where nothing waits for its confirmation; or what the storage said.
    package func extend(to deadline: TrialDeadline) throws(StoreError) {
        try changing { file throws(StoreError) in try file.extend(to: deadline) }
    }

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
        try changing { file throws(StoreError) in
            try file.confirm(id: id, forgetting: resources, fingerprints: fingerprints, note: note, results: results)
        }
    }

    /// Undoes the trial, when everything is back as it was: durable when this returns, or still on trial.
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
        try writing { file throws(StoreError) in
            try file.revert(
                id: id, stamp: stamp, author: author, reason: reason, applied: applied, results: results)
        }
    }

    /// Says that the way back did not come to its end: durable when this returns.
    ///
    /// The trial stays, with all its mementos, so that the way back can be tried again.
    ///
    /// - Parameter failures: what went wrong; what is beyond `StoreLimits.failureBytes` is left out.
    /// - Throws: an error where nothing is on trial; or what the storage said.
    package func markRevertFailed(_ failures: String) throws(StoreError) {
        try writing { file throws(StoreError) in try file.markRevertFailed(failures) }
    }

    /// Reads the generation that is on trial, with its changes and all its mementos; nil where none is.
    package func trial() throws(StoreError) -> StoredTrial? {
        try opened().trial()
    }

    /// Lists the resources whose origin is known, sorted by the bytes of their names.
    package func origins() throws(StoreError) -> [StoredOrigin] {
        try opened().origins()
    }

    /// Reads what a resource was before Cleat first touched it; nil where it never did.
    package func origin(of resource: String) throws(StoreError) -> StoredMemento? {
        try opened().origin(of: resource)
    }

    /// Lists what resources were right after they were written, sorted by the bytes of their names; of one that is on
    /// trial, too, as the trial wrote it.
    package func fingerprints() throws(StoreError) -> [StoredFingerprint] {
        try opened().fingerprints()
    }

    /// Keeps what was written outside of a change of settings: durable when this returns, or as before.
    ///
    /// What changes nothing is not written.
    ///
    /// - Parameters:
    ///   - fingerprints: what resources are now, to be remembered.
    ///   - origins: what resources were that are touched for the first time; an older one that is known stays.
    ///   - resources: the resources that were brought back to their origins, which are forgotten.
    /// - Throws: a limit, or what the storage said.
    package func remember(
        _ fingerprints: [StoredFingerprint], origins: [StoredMemento] = [], forgetting resources: [String] = []
    ) throws(StoreError) {
        try writing { file throws(StoreError) in
            try file.remember(fingerprints, origins: origins, forgetting: resources)
        }
    }
}
