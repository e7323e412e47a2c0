import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore

extension TransactionRunner {
    /// Performs one action of the machine; returns true if it succeeded.
    func perform(_ action: TransactionMachine.Action) async -> Bool {
        do {
            CrashPoints.pass("\(action) begins")
            switch action {
            case .arm: try await arm()
            case .apply: try await apply()
            case .probe: live.transaction?.trial.isProbing = true
            case .beginWindow: try await beginWindow()
            case .recordConfirmation:
                try await removeKeptAddresses()
                try await recordConfirmation()
            case .restore: try await restore()
            case .recordRevert: try await recordRevert()
            case .recordFailure:
                try await store.markRevertFailed(transaction?.revert.failures.joined(separator: "\n") ?? "")
            }
            CrashPoints.pass("\(action) ends")
            if action == .recordConfirmation || action == .recordRevert { live.storeFailure = nil }
            return true
        } catch {
            await note(error, of: action)
            return false
        }
    }

    /// Records the failure of an action.
    private func note(_ error: any Error, of action: TransactionMachine.Action) async {
        let failure = (error as? APIError) ?? (error as? StoreError).map { APIError($0) }
        let cause = Self.cause(of: error)
        live.transaction?.failure = failure ?? .storeFailed(code: "internal", message: cause)
        if let error = error as? StoreError { live.note(storeFailure: error) }
        if action == .recordRevert { await followUnrecordedRevert(cause.withoutFullStop) }
        if transaction?.machine.state == .reverting || transaction?.machine.state == .revertFailed {
            if transaction?.revert.failures.isEmpty ?? true { live.transaction?.revert.failures = [cause] }
        } else {
            live.transaction?.revert.reason = cause
        }
    }

    /// Describes an error; a cancelled change is not a fault of the system.
    static func cause(of error: any Error) -> String {
        error is CancellationError
            ? "it was cancelled, since the service is ending or the client has disconnected" : "\(error)"
    }

    private func arm() async throws {
        guard let running = transaction, let request = running.plan.request, let after = running.plan.after else {
            return
        }
        let change = running.plan.change
        let touched = Set(change.resources)
        let others = running.plan.restoring.filter { !touched.contains($0.resource) }.map { ($0.resource, $0.adapter) }
        let mementos = try await applier.capture(others) + applier.captured(change)
        // A released resource is restored to its state before Cleat first touched it; the present state of a claimed
        // one is recorded.
        let origins = try await resources.origins(for: change)
        let taken = Set(change.parts.flatMap(\.steps).filter { !$0.restoresOrigin }.map(\.resource))
        let outcome = try await resources.arm(
            request,
            TrialRequest(
                window: running.trial.length, mementos: mementos.map { StoredMemento($0) },
                origins: mementos.filter { taken.contains($0.resource) && !change.lacks($0) }
                    .map { StoredMemento($0.asOrigin) },
                probes: running.trial.probes?.stored ?? [],
                contents: change.contents.map { StoredContent(hash: $0.key, bytes: $0.value) },
                mayChangeNothing: request.changes.isEmpty))
        guard case .pending(let generation, let changes) = outcome else {
            throw APIError.conflict(reference, message: "the store has other settings than the service; try again")
        }
        let (present, absent) = change.leaving(absentIn: mementos)
        live.transaction?.armed = RunningTransaction.Armed(
            generation: generation, mementos: mementos, absent: absent, origins: origins)
        live.transaction?.plan.change = present
        live.transaction?.plan.after = nil
        live.transaction?.changes = changes
        let effects = SettingsEffects(of: request.changes, before: settings, after: after)
        live.state.settings = after
        live.state.reference = generation
        publish("pending", of: transaction ?? running)
        await live.publish(effects, author: running.owner, cause: running.identity.cause)
    }

    private func apply() async throws {
        guard let running = transaction, let armed = running.armed,
            !running.plan.change.isEmpty || !running.plan.restoring.isEmpty || !armed.absent.isEmpty
        else { return }
        let change = running.plan.change
        var results =
            armed.absent
            + (try await applier.apply(change, origins: armed.origins, captured: armed.mementos))
        if !results.contains(where: { $0.state == .failed }) {
            results += try await applier.restoreDiffering(running.plan.restoring, settings)
        }
        live.transaction?.applied.results = results
        if let failure = results.first(where: { $0.state == .failed }) {
            throw APIError.storeFailed(code: "apply", message: failure.message.withoutFullStop)
        }
        reconciler.forget(change.parts.flatMap(\.actions))
        // The store has them, and a change that waits for its confirmation does not need them any more.
        live.transaction?.plan.change.contents = [:]
        live.transaction?.applied.fingerprints = try await applier.fingerprints(
            of: change, besides: running.plan.restoring, settings)
    }

    /// Starts the confirm window, or continues that of a former run of the service.
    private func beginWindow() async throws {
        guard let running = transaction, running.trial.deadline == nil else { return }
        let length = running.trial.length ?? APILimits.window.lowerBound
        let deadline = live.services.now().advanced(by: .milliseconds(length))
        try await resources.awaitConfirm(
            deadline: TrialDeadline(bootID: live.services.bootID, bootTime: deadline.milliseconds),
            fingerprints: running.applied.fingerprints, results: running.applied.results.stored)
        live.transaction?.trial.deadline = deadline
    }

    /// Removes what was only kept for the time of the trial, before the change is confirmed.
    ///
    /// A service that ends between the two finds the change still on trial, and does it again when that is confirmed.
    private func removeKeptAddresses() async throws {
        guard let running = transaction, running.machine.isTrial else { return }
        let (change, results) = try await applier.removeKeptAddresses(
            from: running.plan.before, to: settings, at: Array(running.paths), besides: running.mementos)
        if let failure = results.first(where: { $0.state == .failed }) {
            throw APIError.storeFailed(
                code: "cleanup",
                message: "the temporary state of the trial could not be removed (\(failure.adapter): "
                    + "\(failure.message)); the change is still on trial, confirm it again")
        }
        // The fingerprints of these writes replace those of the trial.
        let removed = try await applier.fingerprints(of: change)
        let names = Set(removed.map(\.resource))
        live.transaction?.applied.fingerprints.removeAll { names.contains($0.resource) }
        live.transaction?.applied.fingerprints += removed
    }

    private func recordConfirmation() async throws {
        guard let running = transaction else { return }
        let released = running.plan.change.parts.flatMap(\.steps).filter(\.restoresOrigin).map(\.resource.text)
        let outcome = try await resources.confirm(
            id: running.id, forgetting: released, fingerprints: running.applied.fingerprints, note: running.trial.note,
            results: running.applied.results.stored)
        if case .confirmed(let generation, _) = outcome { live.state.reference = generation }
        notifyTrialPaths(running, besides: [])
        live.services.onCommit(settings)
    }

    private func restore() async throws {
        probing?.cancel()
        live.transaction?.revert.failures = []
        // A store that takes no writes must not keep the system from being restored: it has the mementos, and the next
        // start, or the next retry, restores once more what is restored already. Its write errors show when the revert
        // is recorded.
        let isStored = (try? await store.markReverting()) != nil
        CrashPoints.pass("reverting is stored")
        if !isStored || live.services.isFallback { await remember(reverted: transaction?.id) }
        guard let running = transaction,
            !running.mementos.isEmpty || !running.plan.change.isEmpty || running.armed?.lost.isEmpty == false
        else { return }
        let programs = running.mementos.map(\.resource).filter(\.isProgram)
        let restoration: Restoration
        if let left = running.revert.left {
            // Everything else was restored by a former attempt, and its programs were run.
            restoration = try await applier.restore(
                running.mementos.filter { left.contains($0.resource) }, from: settings, to: settings, at: [])
        } else {
            var defers = false
            if isStarting { defers = await !applier.answerSoon(programs) }
            restoration = try await applier.restore(
                running.mementos, from: settings, to: running.plan.before, at: Array(running.paths),
                after: running.plan.change, defersPrograms: defers)
        }
        let failing = Set(restoration.failures.map(\.adapter))
        let left = running.mementos.filter { failing.contains($0.adapter) }.map(\.resource)
        live.transaction?.revert.left = left.isEmpty || !left.allSatisfy(\.isProgram) ? nil : Set(left)
        let lost = running.armed?.lost ?? []
        let former = running.revert.left == nil ? [] : running.revert.results?.filter { $0.state != .failed } ?? []
        live.transaction?.revert.results = former + restoration.results + lost
        live.transaction?.revert.failedActions =
            running.revert.left == nil
            ? lost.map { FailedAction(actions: [], failed: nil, result: $0) } + restoration.failedActions
            : running.revert.failedActions
        if running.revert.left == nil { live.transaction?.revert.actions = restoration.actions }
        guard restoration.failures.isEmpty else {
            let failures = restoration.failures.map(\.message)
            live.transaction?.revert.failures = failures
            throw APIError.notReverted(
                id: running.id, generation: reference.generation, results: restoration.results,
                message: failures.joined(separator: "; "))
        }
    }

    private func recordRevert() async throws {
        guard let running = transaction else { return }
        let outcome = try await resources.revert(
            id: running.id, stamp: stamp(), author: running.revert.author, reason: running.revert.reason,
            applied: running.applied.results.stored, results: running.results.stored)
        let effects: SettingsEffects
        if case .reverted(let generation, let changes) = outcome {
            (live.state, effects) = live.state.changingStored(changes, to: generation)
        } else {
            // It was reverted before, and the reply was lost: the contents of the store apply.
            let stored = try await store.snapshot()
            let before = settings
            live.state.settings = before.replacingStored(
                SettingsTree(stored.settings.map { SettingsTree.Row(path: $0.path, value: $0.value) }))
            live.state.reference = stored.generation
            effects = await SettingsEffects.between(before, settings, on: loop)
        }
        live.transaction?.revert.isRecorded = true
        notifyTrialPaths(running, besides: Set(effects.touched))
        await live.publish(effects, author: running.revert.author, cause: nil)
    }

    /// Puts the former values in force if the system has them again and the store cannot record it.
    private func followUnrecordedRevert(_ cause: String) async {
        guard let running = transaction else { return }
        let before = settings
        live.state = live.state.reverting(running.changes)
        live.transaction?.revert.failures = [
            "the system was restored, but the store could not record it: \(cause)"
        ]
        let effects = await SettingsEffects.between(before, settings, on: loop)
        await live.publish(effects, author: running.revert.author, cause: nil)
    }

    /// Notifies watchers that values are no longer on trial, except for those that are reported in any case.
    private func notifyTrialPaths(_ running: RunningTransaction, besides others: Set<SettingPath>) {
        guard running.machine.isTrial else { return }
        let paths = running.changes.map(\.path).filter { !others.contains($0) }
        if !paths.isEmpty { live.watchers.notify(paths) }
    }
}
