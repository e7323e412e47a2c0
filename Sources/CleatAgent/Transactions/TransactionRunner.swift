import CleatAPI
import CleatAdapters
import CleatIO
import CleatObservers
import CleatSettings
import CleatStore

/// Runs changes of the system as transactions: it performs the actions of their ``TransactionMachine``, one change at a
/// time, and ends those on trial.
///
/// Its callers hold the write lock, except where a method says otherwise. It starts no tasks that wait: the engine calls
/// ``wake()`` at ``wakeTime``, and checks probes while ``probingID`` names a change.
final class TransactionRunner: EnginePart {
    let live: LiveState
    let reconciler: SystemReconciler
    /// The callers that wait for the end of a change on trial.
    private(set) var endings: [TrialEnding] = []
    /// The task that checks the probes of the change on trial; nil if none is.
    var probing: Task<Void, Never>?
    /// True during ``resume(_:)``: a program that does not answer soon is restored later.
    private(set) var isStarting = false

    init(_ live: LiveState, _ reconciler: SystemReconciler) {
        self.live = live
        self.reconciler = reconciler
    }

    // MARK: Starting

    /// Collects the data of a change in a running transaction.
    func prepare(
        _ proposal: SettingsProposal, _ signature: Signature, _ machine: TransactionMachine, _ change: SystemChange,
        window: Int64? = nil
    ) -> RunningTransaction {
        let stamp = stamp()
        let request = CommitRequest(
            changes: proposal.differences, id: signature.id, hash: signature.hash, expect: reference,
            author: signature.author.record, comment: signature.comment, stamp: stamp)
        return RunningTransaction(
            machine,
            RunningTransaction.Identity(
                id: signature.id, owner: signature.author.record, comment: signature.comment, cause: signature.cause,
                began: stamp),
            RunningTransaction.Plan(
                request: request, change: change, before: settings, after: proposal.settings,
                sourcesRevision: live.state.sourcesRevision),
            changes: proposal.differences, window: window)
    }

    /// Resumes a change on trial from a former run of the service: it is reverted if it was interrupted or the
    /// board was restarted, else it waits for the remaining time.
    ///
    /// This is called before anything else happens.
    func resume(_ stored: StoredTrial) async {
        let isSameBoot = stored.deadline?.bootID == live.services.bootID
        // A repair of the store has replaced the settings that it was made on.
        let isOvertaken = stored.generation.generation < reference.generation
        let remains: TransactionMachine.Remains =
            switch stored.phase {
            case .awaitingConfirm where isOvertaken: .started
            case .awaitingConfirm where stored.id == live.state.volatile.revertedTrial: .reverting
            case .awaitingConfirm: isSameBoot ? .waiting : .waitingInAnotherBoot
            case .reverting, .revertFailed: .reverting
            // Everything that a revert needs is stored, whatever the phase of a later release means.
            case .armed, .other: .started
            }
        let before = settings
        live.state = live.state.changingStored(stored.changes, to: stored.generation).state
        var running = RunningTransaction(
            TransactionMachine(resuming: remains),
            RunningTransaction.Identity(
                id: stored.id, owner: stored.owner, comment: nil, cause: nil, began: stored.began),
            // Released resources are forgotten when it is confirmed, and touched ones are not reconciled until then.
            RunningTransaction.Plan(
                change: applier.change(
                    from: before, to: settings, at: stored.changes.map(\.path),
                    rewriting: stored.changes.filter(\.isRewritten).map(\.path)), before: before),
            changes: stored.changes, window: stored.window)
        running.trial.deadline = isSameBoot ? stored.deadline.map { BootTime(milliseconds: $0.bootTime) } : nil
        running.trial.probes = ProbeWatch(stored.probes)
        running.trial.isProbing = remains == .waiting
        running.armed = RunningTransaction.Armed(stored)
        running.revert.reason =
            switch remains {
            case .started where isOvertaken: "the settings were restored by a repair of the store meanwhile"
            case .waitingInAnotherBoot: "the board was restarted before it was confirmed"
            case .reverting: "it was being reverted when the service ended"
            case .started, .waiting:
                if case .other(let word) = stored.phase {
                    "another release of the service ended in the phase \(word), which this release does not know"
                } else {
                    "the service ended while it was being applied"
                }
            }
        isStarting = true
        await drive(running, .begin)
        isStarting = false
        // The states that were left for that reason are restored soon.
        if transaction?.revert.left != nil {
            live.transaction?.revert.retryAt = live.services.now().advanced(by: .seconds(1))
        }
    }

    /// Describes the state of a change that was on trial when the service ended, once ``resume(_:)`` has returned.
    func resumed(_ stored: StoredTrial) -> String {
        let subject = "change \(stored.id) of \(stored.owner), which was on trial when the service ended,"
        guard let transaction else { return "\(subject) was reverted; generation \(reference.generation) is in force" }
        guard let remaining = transaction.remaining(live.services.now()) else {
            return "\(subject) could not be reverted: \(transaction.revert.failures.joined(separator: "; ")); "
                + "'cleat abort \(stored.id)' tries again"
        }
        return "\(subject) is on trial for another \(DurationText.text(milliseconds: remaining))"
    }

    // MARK: Driving

    /// Performs the actions of the machine until it waits or has ended.
    ///
    /// - Returns: The transaction in that state; the engine has forgotten one that has ended.
    @discardableResult
    func drive(_ running: RunningTransaction, _ event: TransactionMachine.Event) async -> RunningTransaction {
        live.transaction = running
        var next: TransactionMachine.Event? = event
        while let event = next {
            next = nil
            do {
                guard let action = try live.transaction?.machine.handle(event) else { break }
                next = await perform(action) ? .done : .failed
            } catch {
                // Illegal events were refused before, so this is an internal error, and is reported as one.
                live.transaction?.failure = .storeFailed(code: "internal", message: "\(error)")
            }
        }
        let reached = live.transaction ?? running
        await follow(reached)
        conclude(reached)
        journal.note(reached, reference, live.services.now())
        return reached
    }

    /// Does what follows from the state that a change has reached.
    private func follow(_ reached: RunningTransaction) async {
        switch reached.machine.state {
        case .refused: live.transaction = nil
        case .confirmed, .reverted:
            let isReverted = reached.machine.state == .reverted
            live.transaction = nil
            if !live.services.isFallback { await remember(reverted: nil) }
            publish(isReverted ? "reverted" : "confirmed", of: reached)
            if isReverted {
                reconciler.forget(reached.revert.actions)
                reconciler.record(reached.revert.failedActions)
            }
            if reconciler.isReconciled, reached.plan.sourcesRevision != live.state.sourcesRevision {
                // The board's files have changed since it was applied, and its resources were not reconciled until its
                // end.
                await reconciler.reconcile(.restart, isComplete: reconciler.areSourcesComplete)
            }
            // The revert has restored the outside edits of resources that were reapplied on trial.
            if isReverted, reached.changes.isEmpty, !reached.mementos.isEmpty { await reconciler.inspect() }
        case .revertFailed:
            live.transaction?.revert.attempts += 1
            live.transaction?.revert.retryAt = RetrySchedule.instant(
                after: reached.revert.attempts, live.services.now())
            publish("revert-failed", of: reached)
        default: break
        }
    }

    // MARK: Waiting

    /// The instant at which ``wake()`` is to be called; nil if nothing waits.
    var wakeTime: BootTime? {
        guard let transaction else { return nil }
        return switch transaction.machine.state {
        case .awaitingConfirm: transaction.trial.deadline
        case .revertFailed: transaction.revert.retryAt
        default: nil
        }
    }

    /// Reverts the change on trial if its confirm window has ended, or retries a failed revert if that is due.
    func wake() async {
        guard let due = wakeTime, due <= live.services.now(), var running = transaction else { return }
        guard running.machine.state == .awaitingConfirm else {
            running.revert.retryAt = nil
            await drive(running, .abort)
            return
        }
        let window = running.trial.length.map { " of \(DurationText.text(milliseconds: $0))" } ?? ""
        running.revert.reason = "it was not confirmed within its confirm window\(window)"
        if let probes = running.trial.probes { running.revert.reason += ", and \(probes.missing)" }
        await drive(running, .windowEnded)
    }

    /// Waits until a change on trial has ended, and returns its end; without the write lock.
    ///
    /// - Returns: The end; nil if no such change is on trial.
    /// - Throws: `APIError` if it could not be reverted; `CancellationError`.
    func waitForEnd(_ id: String) async throws -> TransactionsInterface.End? {
        guard let transaction, transaction.id == id else { return nil }
        if transaction.machine.state == .revertFailed { throw transaction.notReverted(reference) }
        let ending = TrialEnding(of: id)
        endings.append(ending)
        defer { endings.removeAll { $0 === ending } }
        return try await ending.wait()
    }

    /// Notifies the waiting callers of the end of a change, and stops checking its probes.
    private func conclude(_ reached: RunningTransaction) {
        let outcome: Result<TransactionsInterface.End, any Error>
        switch reached.machine.state {
        case .confirmed:
            outcome = .success(
                .init(
                    id: reached.id, store: reference.store, generation: reference.generation, state: .confirmed,
                    results: [], reason: reached.trial.note?.text))
        case .reverted:
            outcome = .success(
                .init(
                    id: reached.id, store: reference.store, generation: reference.generation, state: .reverted,
                    results: reached.results, reason: reached.revert.reason))
        case .refused:
            outcome = .failure(
                reached.failure ?? APIError.noTransaction(id: reached.id, message: "the change was not made"))
        case .revertFailed: outcome = .failure(reached.notReverted(reference))
        default: return
        }
        probing?.cancel()
        for ending in endings where ending.id == reached.id { ending.finish(outcome) }
    }

    /// Records, next to the store, the change that is reverted in the system and that the store still has on trial.
    func remember(reverted id: String?) async {
        guard live.state.volatile.revertedTrial != id else { return }
        live.state.volatile.revertedTrial = id
        let (volatile, file) = (live.state.volatile, live.services.volatileFile)
        // If this fails, too, the next run of the service has it wait until its deadline, which ends it in any case.
        _ = await loop.task(name: "reverted trial") { try await file.save(volatile) }.result
    }

    /// Emits an event about a change.
    func publish(_ action: String, of running: RunningTransaction) {
        let revert = running.revert
        var properties = [
            "OWNER": running.owner, "GENERATION": String(running.generation?.generation ?? reference.generation),
        ]
        if let window = running.trial.length { properties["WINDOW_MS"] = String(window) }
        if !revert.reason.isEmpty, action != "pending", action != "confirmed" { properties["REASON"] = revert.reason }
        if action == "confirmed", let note = running.trial.note { properties["REASON"] = note.text }
        let failures = revert.failures + revert.failedActions.map(\.result.message)
        if action.hasPrefix("revert"), !failures.isEmpty { properties["FAILURES"] = failures.joined(separator: "; ") }
        live.services.bus.publish(
            EventDraft(
                source: .agent, action: "change-\(action)", subject: running.id, properties: PropertyBlock(properties),
                cause: running.identity.cause))
    }
}

extension RunningTransaction.Armed {
    /// Reads what another run of the service has stored; unreadable mementos are reported, and the others are restored.
    fileprivate init(_ stored: StoredTrial) {
        self.init(generation: stored.generation)
        for memento in stored.mementos {
            do {
                mementos.append(try Memento(encoded: memento.state))
            } catch {
                lost.append(
                    AdapterResult(
                        adapter: memento.adapter, state: .failed,
                        message: "the captured state of \(memento.resource) cannot be read (\(error)); "
                            + "\(memento.resource) is not restored; see 'cleat drift'"))
            }
        }
    }
}

extension ChangeJournal {
    /// Writes one line about the state that a change has reached at an instant.
    fileprivate func note(_ running: RunningTransaction, _ generation: GenerationRef, _ now: BootTime) {
        let (verb, result): (Verb, String?) =
            switch running.machine.state {
            case .awaitingConfirm:
                (
                    .trial,
                    "until it is confirmed, for \(DurationText.text(milliseconds: ((running.remaining(now) ?? 0) + 999) / 1000 * 1000)); "
                        + (running.results.words ?? "nothing of the system changes")
                )
            case .confirmed:
                (
                    .commit,
                    running.trial.note?.text
                        ?? (running.machine.isTrial ? "confirmed" : running.results.words ?? "stored")
                )
            case .reverted:
                (.revert, [running.revert.reason, running.results.words].compactMap(\.self).joined(separator: "; "))
            case .revertFailed: (.revertFailed, running.revert.failures.joined(separator: "; "))
            default: (.trial, nil)
            }
        guard let result else { return }
        note(
            verb, generation: generation.generation, id: running.id,
            author: verb == .revert ? running.revert.author : running.owner, paths: running.changes.map(\.path.text),
            result: result)
    }
}
