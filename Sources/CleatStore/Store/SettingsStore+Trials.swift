extension SettingsStore {
    /// Puts changes on trial, as a pending generation: durable when this returns, with everything that a revert needs,
    /// or not stored at all.
    ///
    /// The confirmed settings stay unchanged: `snapshot()` and the second copy still hold the settings with which the
    /// device boots.
    ///
    /// - Parameters:
    ///   - request: the changes to write.
    ///   - trial: the confirm window, the mementos and the origins.
    /// - Returns: the outcome.
    /// - Throws: a conflict, a reused id, a limit, a pending trial, or a storage error.
    package func arm(_ request: CommitRequest, _ trial: TrialRequest) throws(StoreError) -> ArmOutcome {
        try changing { file throws(StoreError) in try file.trials.arm(request, trial) }
    }

    /// Stores that the revert has started, for a restart of the service: durable when this returns.
    ///
    /// - Throws: an error if nothing is on trial; or a storage error.
    package func markReverting() throws(StoreError) {
        try writing { file throws(StoreError) in try file.trials.markReverting() }
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
        try writing { file throws(StoreError) in
            try file.trials.awaitConfirm(deadline: deadline, fingerprints: fingerprints, results: results)
        }
    }

    /// Moves the deadline of the trial, and counts the extension: durable when this returns.
    ///
    /// - Parameter deadline: the new deadline; it may be an earlier one.
    /// - Throws: an error if no change waits for its confirmation; or a storage error.
    package func extend(to deadline: TrialDeadline) throws(StoreError) {
        try changing { file throws(StoreError) in try file.trials.extend(to: deadline) }
    }

    /// Confirms the generation on trial, with which the device boots from then on: durable when this returns, or still
    /// on trial.
    ///
    /// - Parameters:
    ///   - id: the id of the change on trial.
    ///   - resources: the resources that were restored to their origins; their origins and fingerprints are deleted.
    ///   - fingerprints: the fingerprints of the resources right after they were written, unless `awaitConfirm` got
    ///     them.
    ///   - note: the probes that confirm it; nil if a caller confirms it.
    ///   - results: the results of applying it, for the history; nil keeps the stored ones.
    /// - Returns: the generation, or the record of an earlier confirmation.
    /// - Throws: an error if nothing, or another change, is on trial, or if the change is reverted or being reverted;
    ///   or a storage error.
    package func confirm(
        id: String, forgetting resources: [String] = [], fingerprints: [StoredFingerprint] = [],
        note: GenerationNote? = nil,
        results: String? = nil
    ) throws(StoreError) -> TrialOutcome {
        try changing { file throws(StoreError) in
            try file.trials.confirm(
                id: id, forgetting: resources, fingerprints: fingerprints, note: note, results: results)
        }
    }

    /// Reverts the trial, after everything was restored: durable when this returns, or still on trial.
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
        try writing { file throws(StoreError) in
            try file.trials.revert(
                id: id, stamp: stamp, author: author, reason: reason, applied: applied, results: results)
        }
    }

    /// Stores that the revert failed: durable when this returns.
    ///
    /// The trial stays, with all its mementos, so that the revert can be tried again.
    ///
    /// - Parameter failures: the errors, truncated to `StoreLimits.failureBytes`.
    /// - Throws: an error if nothing is on trial; or a storage error.
    package func markRevertFailed(_ failures: String) throws(StoreError) {
        try writing { file throws(StoreError) in try file.trials.markRevertFailed(failures) }
    }

    /// Reads the generation that is on trial, with its changes and all its mementos; nil if none is.
    package func trial() throws(StoreError) -> StoredTrial? {
        try opened().trials.current()
    }

    /// Lists the resources whose origin is known, sorted by the bytes of their names.
    package func origins() throws(StoreError) -> [StoredOrigin] {
        try opened().resources.origins()
    }

    /// Reads a resource's memento from before Cleat first touched it; nil if Cleat never did.
    package func origin(of resource: String) throws(StoreError) -> StoredMemento? {
        try opened().resources.origin(of: resource)
    }

    /// Lists the fingerprints of resources right after they were written, sorted by the bytes of their names; for a
    /// resource that the change on trial wrote, the trial's fingerprint.
    package func fingerprints() throws(StoreError) -> [StoredFingerprint] {
        try opened().resources.fingerprints()
    }

    /// Stores fingerprints and origins outside of a change of settings: durable when this returns, or as before.
    ///
    /// Entries that change nothing are not written.
    ///
    /// - Parameters:
    ///   - fingerprints: the present fingerprints of resources.
    ///   - origins: the mementos of resources that are touched for the first time; an origin that is stored already
    ///     stays.
    ///   - resources: the resources that were restored to their origins; their origins and fingerprints are deleted.
    /// - Throws: a limit, or a storage error.
    package func remember(
        _ fingerprints: [StoredFingerprint], origins: [StoredMemento] = [], forgetting resources: [String] = []
    ) throws(StoreError) {
        try writing { file throws(StoreError) in
            try file.resources.remember(fingerprints, origins: origins, forgetting: resources)
        }
    }
}
