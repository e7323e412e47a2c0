import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore

/// Makes changes of settings: proposes, plans and stores them, and has the system follow.
///
/// Its callers hold the write lock.
struct SettingsWriter: EnginePart {
    let live: LiveState
    let reconciler: SystemReconciler
    let runner: TransactionRunner
    let history: SettingsHistory

    /// Applies a change set to the store, or to the volatile layer, as a whole or not at all.
    ///
    /// - Parameters:
    ///   - plan: The changes.
    ///   - order: The data that they are made with.
    ///   - uploads: The contents of the documents that they name, as far as they were uploaded for them.
    /// - Returns: The outcome of the changes.
    /// - Throws: `APIError`; then nothing has changed.
    func set(
        _ plan: SettingsPlan, _ order: ChangeOrder, uploads: UploadedContents
    ) async throws -> SettingsInterface.Set.Reply {
        if let answer = try await admit(order) { return answer }
        try requireRight(toEdit: plan.edits, of: order.author)
        let contents = try uploads.contents(for: plan.changes)
        let proposal: SettingsProposal
        // Few changes are spared the copy of the settings that goes to another thread.
        if plan.changes.count > Worker.many {
            proposal = try await applier.worker.run(about: plan.changes.count) { [settings] in
                try plan.proposal(on: settings, by: order.author)
            }
        } else {
            proposal = try plan.proposal(on: settings, by: order.author)
        }
        return try await execute(proposal, order, contents: contents)
    }

    /// Removes all committed values under a prefix, or all of them.
    ///
    /// - Returns: The outcome.
    /// - Throws: `APIError`; then nothing has changed.
    func reset(under prefix: SettingPath?, _ order: ChangeOrder) async throws -> SettingsInterface.Set.Reply {
        if let answer = try await admit(order) { return answer }
        if let prefix { try SettingsQueries(live).requireKnown(prefix) }
        return try await execute(settings.proposeReset(under: prefix), order)
    }

    /// Restores the committed settings of an earlier generation, as a whole or not at all.
    ///
    /// Without a number it restores the settings before the caller's own newest change that is in force: reverted and
    /// rehearsed changes are skipped, and if others have changed something since, they are named and nothing is
    /// changed. Schema rules and locks that have been added since then apply as for any change: history does not bypass
    /// them. Settings that were renamed since then are restored under the new name; those that no schema knows any more
    /// stay as they are, and are named.
    ///
    /// - Returns: The outcome.
    /// - Throws: `APIError`; then nothing has changed.
    func rollback(to number: Int64?, _ order: ChangeOrder) async throws -> SettingsInterface.Set.Reply {
        if let answer = try await admit(order) { return answer }
        let end = if let number { number } else { try await history.generationBeforeNewestChange(of: order.author) }
        let wanted = try await history.differences(from: reference.generation, to: end)
        let (known, unknown) = live.state.separatingUnknown(settings.underPresentNames(wanted))
        let changes = try SettingsPlan.changeSet(known.map { Change($0.path, $0.new) })
        var order = order
        order.comment = order.comment ?? "rollback to generation \(end)"
        let rewritesSecrets = !order.author.isPrivileged
        let proposal = try await applier.worker.run(about: changes.count) { [settings] in
            settings.propose(changes, rewritesSecrets: rewritesSecrets)
        }
        return try await execute(proposal, order).naming(unchanged: unknown)
    }

    /// Admits a request.
    ///
    /// - Returns: The reply if it was made before under the same id; nil if it is to be made.
    /// - Throws: `APIError` if another change is on trial, or the settings are not at the expected generation.
    private func admit(_ order: ChangeOrder) async throws -> SettingsInterface.Set.Reply? {
        if let answer = try await formerAnswer(to: order.id, hash: order.hash) { return answer }
        if order.intent.writes { try requireNoTrial() }
        if let expected = order.expect { try check(expected) }
        return nil
    }

    /// Refuses a change of settings that are at another generation than its caller expects.
    func check(_ expected: GenerationRef) throws(APIError) {
        guard expected != reference else { return }
        let reason =
            expected.store == reference.store
            ? "the settings are at generation \(reference.generation), not \(expected.generation)"
            : "the store is \(reference.store), not \(expected.store)"
        throw .conflict(reference, message: "\(reason): someone else has changed them; read them again, then retry")
    }

    // MARK: Rights

    /// Refuses a change by a user who may not make it, by any caller: of the agent's own settings, which decide what is
    /// logged and recorded of that user's actions, and of settings that an adapter reserves for root.
    ///
    /// - Throws: `APIError.permissionDenied` with the first such path.
    func requireRight(to proposal: SettingsProposal, of author: Author) throws(APIError) {
        guard !author.isPrivileged else { return }
        for path in (proposal.differences + proposal.volatileDifferences).map(\.path) {
            if path.begins(with: Access.ownGroup) {
                throw .permissionDenied(
                    message:
                        "\(author.name) may not change \(path): only root and the service's own user change settings "
                        + "of the agent itself")
            }
            if !applier.adapters.admitsOperators(to: path) {
                throw .permissionDenied(
                    message:
                        "\(author.name) may not change \(path): only root and the service's own user change "
                        + "kernel parameters other than those of network, memory and reports, and settings that its schema "
                        + "reserves for them")
            }
        }
    }

    /// Refuses to add something to a list of secrets, or to remove it, by a user who may not read it: the reply would
    /// reveal what it contains.
    ///
    /// - Throws: `APIError.permissionDenied` with the first such list.
    func requireRight(toEdit edits: [ListEdit], of author: Author) throws(APIError) {
        guard !author.isPrivileged, let edit = edits.first(where: { settings.schema.hides($0.path) }) else { return }
        throw .permissionDenied(
            message:
                "\(author.name) may not add to \(edit.path) or remove from it, because that would reveal what the secret list "
                + "holds; set the whole list, or ask root")
    }

    // MARK: Making

    /// Makes a change that was planned.
    ///
    /// - Parameters:
    ///   - proposal: The change.
    ///   - signature: The data that it is recorded with.
    ///   - window: The confirm window in milliseconds; nil if it is not on trial.
    ///   - change: The changes of the system.
    ///   - restoring: The states of other resources that are restored after the adapters.
    /// - Returns: The outcome.
    /// - Throws: `APIError`; then nothing has changed, or everything is reverted.
    func make(
        _ proposal: SettingsProposal, _ signature: Signature, window: Int64?, _ change: SystemChange,
        restoring: [Memento] = []
    ) async throws -> SettingsInterface.Set.Reply {
        guard !proposal.isEmpty || !restoring.isEmpty else { return reply(.unchanged, to: signature, proposal) }
        if window != nil, !proposal.volatileDifferences.isEmpty { try TrialTerms.checkWindow(window, layer: .volatile) }
        let former = live.state.volatile
        if !proposal.volatileDifferences.isEmpty {
            var next = former
            next.rename(settings.renamedVolatile)
            next.apply(
                proposal.volatileDifferences, settings: proposal.settings.volatile,
                origin: VolatileOrigin(
                    author: signature.author.record, time: WallTime.now().description, comment: signature.comment),
                transaction: VolatileTransaction(
                    id: signature.id, hash: signature.hash, generation: reference.generation,
                    changes: proposal.volatileDifferences))
            // The former state of the system must outlast the service, as the values do.
            if !change.isEmpty { try await requireChangeable() }
            try await live.save(next)
            live.state.volatile = next
        }
        var results: [AdapterResult]?
        do {
            if !restoring.isEmpty || !proposal.differences.isEmpty && (window != nil || !change.isEmpty) {
                return try await begin(proposal, signature, window: window, change, restoring: restoring)
            }
            if !proposal.differences.isEmpty {
                live.state.reference = try await commit(proposal.differences, signature)
            }
            if !change.isEmpty { results = try await apply(change, to: proposal.settings) }
        } catch {
            live.state.volatile = former
            // If this fails too, the volatile values are lost with the service; until then memory still has them. The
            // caller may have disconnected, which must not leave the refused values to the next start.
            if !proposal.volatileDifferences.isEmpty {
                let file = live.services.volatileFile
                _ = await loop.task(name: "volatile") { try await file.save(former) }.result
            }
            throw error
        }
        return await finish(proposal, signature, results: results, notes: change.notes)
    }

    /// Puts a change in force that is stored and applied, and notifies watchers.
    ///
    /// - Parameters:
    ///   - proposal: The change.
    ///   - signature: The data that it is recorded with.
    ///   - results: The results of the adapters; nil if the system had nothing to follow.
    ///   - notes: The notes for its caller.
    /// - Returns: The reply to its caller.
    func finish(
        _ proposal: SettingsProposal, _ signature: Signature, results: [AdapterResult]? = nil, notes: [String] = []
    ) async -> SettingsInterface.Set.Reply {
        let before = settings
        live.state.settings = proposal.settings
        let answer = reply(.confirmed, to: signature, proposal, results: results ?? [], notes: notes)
        journal.note(
            .commit, generation: reference.generation, id: signature.id, author: signature.author.record,
            paths: (proposal.differences + proposal.volatileDifferences).map(\.path.text),
            result: (proposal.volatileDifferences.isEmpty ? "stored" : "until the next boot")
                + (results?.words.map { "; \($0)" } ?? ""))
        let effects = await effects(of: proposal, from: before)
        await live.publish(effects, author: signature.author.record, cause: signature.cause)
        return answer
    }

    /// Finds the effects of a change that is in force.
    private func effects(of proposal: SettingsProposal, from before: LayeredSettings) async -> SettingsEffects {
        // The caller may have disconnected, or there may be no thread: the change is published nevertheless.
        if proposal.differences.count + proposal.volatileDifferences.count > Worker.many,
            let found = try? await applier.worker.run({ SettingsEffects(of: proposal, before: before) })
        {
            return found
        }
        return SettingsEffects(of: proposal, before: before)
    }

    /// Makes a change that the system follows, or that is on trial: it is armed before anything happens, then in force,
    /// and reverted if the system cannot follow it, or unless it is confirmed.
    ///
    /// - Parameters:
    ///   - proposal: The change.
    ///   - signature: The data that it is recorded with.
    ///   - window: The confirm window in milliseconds; nil if it is confirmed as soon as it is applied.
    ///   - change: The changes of the system.
    ///   - restoring: The states of other resources that are restored after the adapters.
    /// - Returns: The reply, once the change is confirmed or the countdown has started.
    /// - Throws: `APIError`; then nothing has changed, or everything is reverted.
    func begin(
        _ proposal: SettingsProposal, _ signature: Signature, window: Int64?, _ change: SystemChange,
        restoring: [Memento] = []
    ) async throws -> SettingsInterface.Set.Reply {
        var running = runner.prepare(
            proposal, signature, TransactionMachine(isTrial: window != nil), change, window: window)
        if window != nil {
            running.plan.change = try await applier.onTrial(change, from: settings, to: proposal.settings)
        }
        running.plan.restoring = restoring
        running.trial.probes = try await watch(signature.probes, before: running.plan.change)
        // If the caller has disconnected meanwhile, the probe checks were interrupted.
        try Task.checkCancellation()
        let end = await runner.drive(running, .begin)
        switch end.machine.state {
        case .awaitingConfirm:
            var answer = reply(.pending, to: signature, proposal, results: end.results, notes: change.notes)
            answer.window = window
            answer.probes = end.trial.probes?.reports
            return answer
        case .confirmed:
            return reply(.confirmed, to: signature, proposal, results: end.results, notes: change.notes)
        case .refused: throw end.failure ?? .storeFailed(code: "arm", message: "the revert could not be prepared")
        case .reverted:
            let outcome = end.revert.failedActions.outcome(of: end.applied.results)
            throw APIError.notApplied(
                id: end.id, generation: reference.generation, results: end.results,
                message: "\(end.revert.reason.withoutFullStop). \(outcome)")
        default: throw end.notReverted(reference)
        }
    }

    /// Checks probes before a change, which may take long; outside edits during that time must not be overwritten.
    private func watch(_ probes: [Probe], before change: SystemChange) async throws -> ProbeWatch? {
        guard !probes.isEmpty else { return nil }
        let seen = try await applier.captured(change).filter { !$0.resource.isRuntimeState }
        let watch = try await live.services.prober.watch(beforeChange: probes)
        let changed = try await applier.verify(seen).filter { $0.state != .same && $0.state != .untouched }
        let problems = changed.compactMap { found in
            change.parts.flatMap(\.steps).first { $0.resource == found.resource }.map { step in
                SettingProblem(
                    path: step.path, value: nil, code: .system,
                    reason:
                        "would overwrite \(found.resource), which was edited outside Cleat while the probes were checked; "
                        + "see 'cleat drift'")
            }
        }
        guard problems.isEmpty else { throw APIError(refusing: problems) }
        return watch
    }

    private func commit(_ differences: [SettingDifference], _ signature: Signature) async throws -> GenerationRef {
        do throws(StoreError) {
            let outcome = try await store.commit(request(differences, signature))
            switch outcome {
            case .committed(let generation, _), .unchanged(let generation):
                live.storeFailure = nil
                return generation
            case .repeated(let record):
                return GenerationRef(store: reference.store, generation: record.number)
            }
        } catch {
            live.note(storeFailure: error)
            throw APIError(error)
        }
    }

    /// Returns the request to the store for a change of the settings in force.
    func request(_ differences: [SettingDifference], _ signature: Signature) -> CommitRequest {
        CommitRequest(
            changes: differences, id: signature.id, hash: signature.hash, expect: reference,
            author: signature.author.record, comment: signature.comment, stamp: stamp())
    }

    /// Applies values to the system that are in force until the next boot; on a failure everything is restored.
    private func apply(_ wanted: SystemChange, to after: LayeredSettings) async throws -> [AdapterResult] {
        let mementos = try await applier.captured(wanted)
        let (change, absent) = wanted.leaving(absentIn: mementos)
        let origins = try await resources.origins(for: change)
        let released = change.parts.flatMap(\.steps).filter(\.restoresOrigin).map(\.resource)
        try await resources.remember(
            [],
            origins: mementos.filter { !released.contains($0.resource) && !wanted.lacks($0) }
                .map { StoredMemento($0.asOrigin) })
        let results: [AdapterResult]
        do {
            results = try await applier.apply(change, origins: origins, captured: mementos) + absent
        } catch {
            results = [.init(adapter: "system", state: .failed, message: TransactionRunner.cause(of: error))]
        }
        guard let failure = results.first(where: { $0.state == .failed }) else {
            reconciler.forget(change.parts.flatMap(\.actions))
            // Kernel values end with the boot, as these settings do, and are not worth a flush each time.
            try await resources.remember(
                try await applier.fingerprints(of: change).filter {
                    // Without the fingerprint of a program its state would count as edited outside.
                    Resource(text: $0.resource).map { !$0.isRuntimeState || $0.isProgram } ?? false
                }, forgetting: released.map(\.text))
            return results
        }
        let back = try await applier.restore(
            mementos, from: after, to: settings, at: change.parts.flatMap(\.steps).map(\.path))
        throw refusal(of: failure, results, back)
    }

    /// Returns the error of a failure that was restored at once, without a generation of its own; the failed actions
    /// are kept.
    private func refusal(
        of failure: AdapterResult, _ results: [AdapterResult], _ back: Restoration
    ) -> APIError {
        reconciler.forget(back.actions)
        reconciler.record(back.failedActions)
        let message = failure.message.withoutFullStop
        if back.failures.isEmpty {
            return .notApplied(
                id: "", generation: reference.generation, results: results,
                message: "\(message). \(back.failedActions.outcome(of: results))")
        }
        return .notReverted(
            id: "", generation: reference.generation, results: back.results,
            message: "\(message). Not all could be reverted: "
                + back.failures.map(\.message).joined(separator: "; "))
    }
}

extension SettingsPlan {
    /// Returns what the changes make of settings, and why they must not.
    func proposal(on settings: LayeredSettings, by author: Author) throws -> SettingsProposal {
        let (changes, problems) = try changes(on: settings)
        return settings.propose(changes, to: layer, besides: problems, rewritesSecrets: !author.isPrivileged)
    }
}

extension SettingsEffects {
    /// Finds the effects of a proposal.
    fileprivate init(of proposal: SettingsProposal, before: LayeredSettings) {
        self.init(
            of: proposal.differences, volatile: proposal.volatileDifferences, before: before, after: proposal.settings)
    }
}
