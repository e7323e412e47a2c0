import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Performs the actions of the machine until it waits or has ended.
    ///
    /// - Returns: The transaction in that state; the engine has forgotten one that has ended.
    @discardableResult
    func drive(_ running: RunningTransaction, _ event: TransactionMachine.Event) async -> RunningTransaction {
        transaction = running
        var next: TransactionMachine.Event? = event
        while let event = next {
            next = nil
            do {
                guard let action = try transaction?.machine.handle(event) else { break }
                next = await perform(action) ? .done : .failed
            } catch {
                // Illegal events were refused before, so this is an internal error, and is reported as one.
                transaction?.failure = .storeFailed(code: "internal", message: "\(error)")
            }
        }
        let reached = transaction ?? running
        switch reached.machine.state {
        case .refused: transaction = nil
        case .confirmed, .reverted:
            reached.timer?.cancel()
            transaction = nil
            if await store.opening.standIn == nil { await remember(undone: nil) }
            tell(reached.machine.state == .confirmed ? "confirmed" : "reverted", of: reached)
            if reached.machine.state == .reverted {
                forget(reached.takenUp)
                keep(reached.leftovers)
            }
            if isUpheld, reached.sourcesRevision != sourcesRevision {
                // The board's files have changed since it was applied, and its resources were not reconciled until its
                // end.
                await reconcile(.restart, isComplete: areSourcesComplete)
            }
            // The revert has restored the outside edits of resources that were reapplied on trial.
            if reached.machine.state == .reverted, reached.changes.isEmpty, !reached.mementos.isEmpty {
                await reconcile(.look, isComplete: areSourcesComplete)
            }
        case .revertFailed:
            transaction?.attempts += 1
            tell("revert-failed", of: reached)
            tryAgain(after: reached.attempts)
        default: break
        }
        conclude(reached)
        note(reached)
        return reached
    }

    /// Writes the state of a change to the journal.
    private func note(_ running: RunningTransaction) {
        let (verb, result): (ChangeJournal.Verb, String?) =
            switch running.machine.state {
            case .awaitingConfirm:
                (
                    .trial,
                    "until it is confirmed, for \(DurationText.text(milliseconds: ((running.remaining ?? 0) + 999) / 1000 * 1000)); "
                        + (running.results.words ?? "nothing of the system changes")
                )
            case .confirmed:
                (.commit, running.note ?? (running.machine.isTrial ? "confirmed" : running.results.words ?? "stored"))
            case .reverted:
                (.revert, [running.reason, running.results.words].compactMap(\.self).joined(separator: "; "))
            case .revertFailed: (.revertFailed, running.failures.joined(separator: "; "))
            default: (.trial, nil)
            }
        guard let result else { return }
        journal.note(
            verb, generation: reference.generation, id: running.id,
            author: verb == .revert ? running.undoneBy : running.owner, paths: running.changes.map(\.path.text),
            result: result)
    }

    /// Performs one action of the machine; returns true if it succeeded.
    func perform(_ action: TransactionMachine.Action) async -> Bool {
        do {
            CrashPoints.pass("\(action) begins")
            switch action {
            case .arm: try await arm()
            case .apply: try await apply()
            case .probe: beginProbing()
            case .beginWindow: try await beginWindow()
            case .recordConfirmation:
                try await settle()
                try await recordConfirmation()
            case .restore: try await restore()
            case .recordRevert: try await recordRevert()
            case .recordFailure: try await store.markRevertFailed(transaction?.failures.joined(separator: "\n") ?? "")
            }
            CrashPoints.pass("\(action) ends")
            if action == .recordConfirmation || action == .recordRevert { storeFailure = nil }
            return true
        } catch {
            let failure = (error as? APIError) ?? (error as? StoreError).map(Self.failure)
            let cause = Self.cause(of: error)
            transaction?.failure = failure ?? .storeFailed(code: "internal", message: cause)
            if let error = error as? StoreError { note(storeFailure: error) }
            if action == .recordRevert { await followUnrecordedRevert(cause.withoutFullStop) }
            if transaction?.machine.state == .reverting || transaction?.machine.state == .revertFailed {
                if transaction?.failures.isEmpty ?? true { transaction?.failures = [cause] }
            } else {
                transaction?.reason = cause
            }
            return false
        }
    }

    /// Describes an error; a cancelled change is not a fault of the system.
    static func cause(of error: any Error) -> String {
        error is CancellationError
            ? "it was cut off, since the service is ending or who asked for it has gone" : "\(error)"
    }

    private func arm() async throws {
        guard let running = transaction, let request = running.request, let after = running.after else { return }
        let touched = Set(running.change.resources)
        let others = running.bringing.filter { !touched.contains($0.resource) }.map { ($0.resource, $0.adapter) }
        let mementos = try await follower.capture(others) + captured(running.change)
        // A released resource is restored to its state before Cleat first touched it; the present state of a claimed
        // one is recorded.
        let origins = try await origins(for: running.change)
        let taken = Set(running.change.parts.flatMap(\.steps).filter { !$0.bringsOriginBack }.map(\.resource))
        let outcome = try await store.arm(
            request,
            TrialRequest(
                window: running.window, mementos: mementos.map { StoredMemento($0) },
                origins: mementos.filter { taken.contains($0.resource) && !$0.isAbsentInterface }
                    .map { StoredMemento($0.asOrigin) },
                probes: running.probes?.stored ?? [],
                contents: running.change.contents.map { StoredContent(hash: $0.key, bytes: $0.value) },
                mayChangeNothing: request.changes.isEmpty))
        transaction?.mementos = mementos
        let (change, absent) = running.change.leaving(absentIn: mementos)
        transaction?.change = change
        transaction?.absent = absent
        transaction?.origins = origins
        guard case .pending(let generation, let changes) = outcome else {
            throw APIError.conflict(reference, message: "the store knows other settings than the service; try again")
        }
        transaction?.generation = generation
        transaction?.changes = changes
        transaction?.after = nil
        let effects = SettingsEffects(of: request.changes, before: settings, after: after)
        settings = after
        reference = generation
        tell("pending", of: transaction ?? running)
        await tell(effects, author: running.owner, cause: running.cause)
    }

    private func apply() async throws {
        guard let running = transaction,
            !running.change.isEmpty || !running.bringing.isEmpty || !running.absent.isEmpty
        else { return }
        var results =
            running.absent
            + (try await follower.apply(
                running.change, origins: running.origins, captured: running.mementos))
        if !results.contains(where: { $0.state == .failed }) {
            results += try await follower.bring(running.bringing, settings)
        }
        transaction?.results = results
        transaction?.applied = results
        if let failure = results.first(where: { $0.state == .failed }) {
            throw APIError.storeFailed(code: "apply", message: failure.message.withoutFullStop)
        }
        forget(running.change.parts.flatMap(\.actions))
        // The store has them, and a change that waits for its confirmation does not need them any more.
        transaction?.change.contents = [:]
        transaction?.fingerprints = try await follower.fingerprints(
            of: running.change, besides: running.bringing, settings)
    }

    private func beginWindow() async throws {
        guard let running = transaction else { return }
        if let deadline = running.deadline { return wait(until: deadline) }
        let deadline = BootTime.now().advanced(by: .milliseconds(running.window ?? APILimits.window.lowerBound))
        try await store.awaitConfirm(
            deadline: TrialDeadline(bootID: bootID, bootTime: deadline.milliseconds),
            fingerprints: running.fingerprints, results: running.applied.stored)
        wait(until: deadline)
    }

    private func recordConfirmation() async throws {
        guard let running = transaction else { return }
        let released = running.change.parts.flatMap(\.steps).filter(\.bringsOriginBack).map(\.resource.text)
        let outcome = try await store.confirm(
            id: running.id, forgetting: released, fingerprints: running.fingerprints, note: running.note,
            results: running.applied.stored)
        if case .confirmed(let generation, _) = outcome { reference = generation }
        noteTrialPaths(running, besides: [])
        onCommit(settings)
    }

    private func restore() async throws {
        transaction?.timer?.cancel()
        transaction?.probing?.cancel()
        transaction?.failures = []
        // A store that takes no writes must not keep the system from being restored: it has the mementos, and the next
        // start, or the next retry, restores once more what is restored already. Its write errors show when the revert
        // is recorded.
        let isStored = (try? await store.setPhase(.reverting)) != nil
        CrashPoints.pass("reverting is stored")
        let isLasting = await store.opening.standIn == nil
        if !isStored || !isLasting { await remember(undone: transaction?.id) }
        try await bringBack()
    }

    /// Records, next to the store, the change that is undone in the system and that the store still has on trial.
    private func remember(undone id: String?) async {
        guard volatileState.undoneTrial != id else { return }
        volatileState.undoneTrial = id
        let state = volatileState
        // If this fails, too, the next run of the service has it wait until its deadline, which ends it in any case.
        _ = await loop.task(name: "undone trial") { try await self.save(state) }.result
    }

    private func bringBack() async throws {
        guard let running = transaction,
            !running.mementos.isEmpty || !running.change.isEmpty || !running.lost.isEmpty
        else { return }
        let restoration = try await follower.restore(
            running.mementos, from: settings, to: running.before ?? settings, at: Array(running.paths),
            after: running.change)
        let lost = running.lost.map { Leftover(actions: [], failed: nil, result: $0) }
        transaction?.results = restoration.results + running.lost
        transaction?.leftovers = lost + restoration.leftovers
        transaction?.takenUp = restoration.actions
        guard restoration.failures.isEmpty else {
            transaction?.failures = restoration.failures.map(\.message)
            throw APIError.notReverted(
                id: running.id, generation: reference.generation, results: restoration.results,
                message: transaction?.failures.joined(separator: "; ") ?? "")
        }
    }

    private func recordRevert() async throws {
        guard let running = transaction else { return }
        let outcome = try await store.revert(
            id: running.id, stamp: .now(bootID: bootID), author: running.undoneBy,
            reason: running.reason, applied: running.applied.stored, results: running.results.stored)
        let before = settings
        let effects: SettingsEffects
        if case .reverted(let generation, let changes) = outcome {
            settings = before.changingStored(changes)
            reference = generation
            effects = SettingsEffects(of: changes, before: before, after: settings)
        } else {
            // It was undone before, and the reply was lost: the contents of the store apply.
            let stored = try await store.snapshot()
            settings = before.replacingStored(SettingsTree(stored.settings.lazy.map { ($0.path, $0.value) }))
            reference = stored.generation
            effects = await SettingsEffects.between(before, settings, on: loop)
        }
        transaction?.isUndone = true
        noteTrialPaths(running, besides: Set(effects.touched))
        await tell(effects, author: running.undoneBy, cause: nil)
    }

    /// Puts the former values in force if the system has them again and the store cannot record it.
    private func followUnrecordedRevert(_ cause: String) async {
        guard let running = transaction else { return }
        let before = settings
        settings = before.changingStored(
            running.changes.map { SettingDifference(path: $0.path, old: $0.new, new: $0.old) })
        transaction?.failures = ["the system is as it was before, but the store could not record it: \(cause)"]
        await tell(await SettingsEffects.between(before, settings, on: loop), author: running.undoneBy, cause: nil)
    }

    /// Notifies watchers that values are no longer on trial, except for those that are reported in any case.
    private func noteTrialPaths(_ running: RunningTransaction, besides others: Set<SettingPath>) {
        guard running.machine.isTrial else { return }
        let paths = running.changes.map(\.path).filter { !others.contains($0) }
        if !paths.isEmpty { for watcher in watchers.values { watcher.note(paths) } }
    }

    private func tell(_ action: String, of running: RunningTransaction) {
        var properties = [
            "OWNER": running.owner, "GENERATION": String(running.generation?.generation ?? reference.generation),
        ]
        if let window = running.window { properties["WINDOW_MS"] = String(window) }
        if !running.reason.isEmpty, action != "pending", action != "confirmed" { properties["REASON"] = running.reason }
        if action == "confirmed", let note = running.note { properties["REASON"] = note }
        let failures = running.failures + running.leftovers.map(\.result.message)
        if action.hasPrefix("revert"), !failures.isEmpty { properties["FAILURES"] = failures.joined(separator: "; ") }
        bus.publish(
            EventDraft(
                source: .agent, action: "change-\(action)", subject: running.id, properties: PropertyBlock(properties),
                cause: running.cause))
    }
}
