import CleatAPI
import CleatHooks
import CleatIO
import CleatSettings
import CleatStore

extension TransactionRunner {
    /// Confirms the change that is on trial.
    ///
    /// - Parameters:
    ///   - id: The id of the change.
    ///   - received: The instant at which the caller requested it: it may have waited for the lock since;
    ///     nil for the present one.
    /// - Returns: The end; nil if nothing is on trial.
    /// - Throws: `APIError` if another change is on trial, its time is over, or it cannot be stored.
    func confirm(_ id: String, received: BootTime? = nil) async throws -> TransactionsInterface.End? {
        guard var running = try onTrial(id) else { return nil }
        guard running.machine.state == .awaitingConfirm else { throw running.refusal(live.services.now()) }
        if let deadline = running.trial.deadline, deadline <= received ?? live.services.now() {
            running.revert.reason = "its confirm window ended before it was confirmed"
            let end = await drive(running, .windowEnded)
            guard end.machine.state == .reverted else {
                throw end.notReverted(
                    reference, "change \(id) was not confirmed in time, and not all of it could be reverted")
            }
            throw APIError.noTransaction(
                id: id, message: "change \(id) was not confirmed in time and was reverted; make it again")
        }
        let end = await drive(running, .confirm)
        guard end.machine.state == .confirmed else {
            throw end.failure
                ?? .storeFailed(code: "confirm", message: "the confirmation could not be stored; try again")
        }
        return .init(id: id, store: reference.store, generation: reference.generation, state: .confirmed)
    }

    /// Reverts the change that is on trial, or retries the revert.
    ///
    /// - Returns: The end; nil if nothing is on trial.
    /// - Throws: `APIError` if another change is on trial, or it cannot be reverted.
    func abort(_ id: String, author: Author) async throws -> TransactionsInterface.End? {
        guard var running = try onTrial(id) else { return nil }
        switch running.machine.state {
        case .awaitingConfirm: running.revert.reason = "\(author.name) aborted it"
        // The caller has removed the obstacle: the automatic retries start again.
        case .revertFailed: running.revert.attempts = 0
        default: throw running.refusal(live.services.now())
        }
        running.revert.author = author.record
        let end = await drive(running, .abort)
        guard end.machine.state == .reverted else {
            throw end.notReverted(reference, "not all of change \(id) could be reverted")
        }
        return .init(
            id: id, store: reference.store, generation: reference.generation, state: .reverted, results: end.results)
    }

    /// Restarts the confirm window of the change on trial with a new length in milliseconds.
    ///
    /// - Returns: The change on trial.
    /// - Throws: `APIError` if it is not on trial, or the store does not take the new deadline.
    func extend(_ id: String, window: Int64) async throws -> Trial {
        guard let running = try onTrial(id) else {
            throw APIError.noTransaction(id: id, message: "change \(id) is not on trial; see 'cleat status'")
        }
        guard running.machine.state == .awaitingConfirm else { throw running.refusal(live.services.now()) }
        let deadline = live.services.now().advanced(by: .milliseconds(window))
        do {
            try await store.extend(to: TrialDeadline(bootID: live.services.bootID, bootTime: deadline.milliseconds))
        } catch {
            throw APIError(error)
        }
        live.transaction?.trial.length = window
        live.transaction?.trial.deadline = deadline
        guard let trial = transaction?.described(in: settings, live.services.now()) else {
            throw running.refusal(live.services.now())
        }
        return trial
    }

    /// Finds the change on trial by its id.
    ///
    /// - Returns: The change; nil if nothing is on trial.
    /// - Throws: An error if another one is on trial.
    private func onTrial(_ id: String) throws(APIError) -> RunningTransaction? {
        if let invalid = APIError.invalidTransaction(id) { throw invalid }
        guard let transaction else { return nil }
        guard transaction.id == id else {
            throw .unknownTransaction(
                id: id, message: "change \(id) is not on trial; \(transaction.id) of \(transaction.owner) is")
        }
        return transaction
    }

    // MARK: Probes

    /// The delay between two rounds of probe checks.
    private static let probeInterval = Duration.seconds(1)

    /// The id of the change whose probes are to be checked; nil if there is none.
    var probingID: String? {
        guard let transaction, transaction.trial.probes != nil, transaction.trial.isProbing,
            transaction.machine.state == .awaitingConfirm
        else { return nil }
        return transaction.id
    }

    /// Checks the probes of a change on trial until they hold or it ends; without the write lock.
    ///
    /// - Parameters:
    ///   - id: The id of the change.
    ///   - confirm: Has ``probesHeld(_:)`` called with the write lock; returns true if no further checks are needed.
    func checkProbes(of id: String, confirm: () async -> Bool) async {
        while probingID == id, let probes = transaction?.trial.probes {
            let outcomes = await live.services.prober.look(at: probes.waitedFor)
            // An interrupted check has shown nothing.
            guard !Task.isCancelled, probingID == id else { return }
            if live.transaction?.trial.probes?.note(outcomes) == true, await confirm() { return }
            do {
                try await live.services.pause(Self.probeInterval)
            } catch {
                return
            }
        }
    }

    /// Confirms the change on trial, since its probes hold.
    ///
    /// - Returns: True if no further checks are needed.
    func probesHeld(_ id: String) async -> Bool {
        guard var running = transaction, running.id == id, running.machine.state == .awaitingConfirm,
            let probes = running.trial.probes, let deadline = running.trial.deadline
        else { return true }
        // The confirm window ends by the timer, which has the lock next.
        guard deadline > live.services.now() else { return true }
        let task = probing
        // This function runs in that task, which must not be cancelled.
        probing = nil
        running.trial.note = .confirmedBy(probes: probes.names)
        let end = await drive(running, .confirm)
        guard transaction?.id == id, end.machine.state == .awaitingConfirm else { return true }
        // It could not be stored; a later attempt may succeed.
        probing = task
        live.transaction?.trial.note = nil
        live.transaction?.trial.probes?.startAgain(after: end.failure?.description ?? "no reason is recorded")
        return false
    }
}
