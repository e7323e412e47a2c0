import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
package import CleatStore

extension SettingsEngine {
    /// Refuses a confirm window that is out of range, or one for the volatile layer.
    nonisolated static func checkWindow(
        _ window: Int64?, layer: ResolvedSetting.Origin = .committed, named name: String = "confirm"
    ) throws(APIError) {
        guard let window else { return }
        guard layer == .committed else {
            throw .invalidValue([
                RefusedChange(
                    path: "confirm", code: "confirm",
                    reason:
                        "volatile changes end with the boot and cannot be on trial; leave out --confirm or --volatile")
            ])
        }
        guard APILimits.window.contains(window) else {
            throw .invalidValue([
                RefusedChange(
                    path: name, value: .integer(window), code: "range",
                    reason:
                        "a change can be on trial for \(DurationText.text(milliseconds: APILimits.window.lowerBound)) to "
                        + "\(DurationText.text(milliseconds: APILimits.window.upperBound))")
            ])
        }
    }

    /// Refuses a change while another one is on trial.
    func requireNoTrial() throws(APIError) {
        if let transaction { throw transaction.refusal }
    }

    /// The change on trial, in its wire format.
    var trial: Trial? {
        guard let transaction, let generation = transaction.generation else { return nil }
        return describe(transaction, generation)
    }

    /// Returns the board's addresses before and after the change on trial; nil if it does not touch the caller's
    /// interface.
    func reach(of caller: CallerRoute) -> Reach? {
        transaction.flatMap { caller.reach(touching: $0.paths, after: settings) }
    }

    func describe(_ running: RunningTransaction, _ generation: GenerationRef) -> Trial {
        let (changes, omitted) = [ChangeRecord].records(of: running.changes, in: settings)
        return Trial(
            id: running.id, store: generation.store, generation: generation.generation, owner: running.owner,
            comment: running.comment, began: WallTime(milliseconds: running.began.time).description,
            phase: running.phase, window: running.window, remaining: running.remaining, changes: changes,
            omitted: omitted, failures: running.failures.isEmpty ? nil : running.failures,
            probes: running.probes?.reports)
    }

    /// Makes a change that the system follows, or that is on trial: it is armed before anything happens, then in force,
    /// and undone if the system cannot follow it, or unless it is confirmed.
    ///
    /// - Parameters:
    ///   - proposal: The change.
    ///   - signature: The data that it is recorded with.
    ///   - window: The confirm window in milliseconds; nil if it is confirmed as soon as it is applied.
    ///   - change: The changes of the system.
    ///   - bringing: The states of other resources that are restored after the adapters.
    /// - Returns: The reply, once the change is confirmed or the countdown has started.
    /// - Throws: `APIError`; then nothing has changed, or everything is undone.
    func begin(
        _ proposal: SettingsProposal, _ signature: Signature, window: Int64?, _ change: SystemChange,
        bringing: [Memento] = []
    ) async throws -> SettingsInterface.Set.Reply {
        var running = prepare(
            proposal, signature, TransactionMachine(isTrial: window != nil), change, window: window)
        if window != nil {
            running.change = try await follower.onTrial(change, from: settings, to: proposal.settings)
        }
        running.bringing = bringing
        running.probes = try await watched(running.change, during: signature.probes)
        // If the caller has disconnected meanwhile, the probe checks were interrupted.
        try Task.checkCancellation()
        let end = await drive(running, .begin)
        switch end.machine.state {
        case .awaitingConfirm:
            var answer = reply(.pending, to: signature, proposal, results: end.results, notes: change.notes)
            answer.window = window
            answer.probes = end.probes?.reports
            return answer
        case .confirmed:
            return reply(.confirmed, to: signature, proposal, results: end.results, notes: change.notes)
        case .refused: throw end.failure ?? .storeFailed(code: "arm", message: "the change could not be armed")
        case .reverted:
            throw APIError.notApplied(
                id: end.id, generation: reference.generation, results: end.results,
                message: "\(end.reason.withoutFullStop). \(end.leftovers.outcome(of: end.applied))")
        default:
            throw APIError.notReverted(
                id: end.id, generation: reference.generation, results: end.results,
                message:
                    "\(end.reason.withoutFullStop). Not all could be undone: \(end.failures.joined(separator: "; "))")
        }
    }

    /// Checks probes before a change, which may take long; outside edits during that time must not be overwritten.
    private func watched(_ change: SystemChange, during probes: [Probe]) async throws -> ProbeWatch? {
        guard !probes.isEmpty else { return nil }
        let seen = try await captured(change).filter { !$0.resource.isKernels }
        let watch = try await lookBefore(probes)
        let changed = try await follower.verify(seen).filter { $0.state != .same && $0.state != .untouched }
        let problems = changed.compactMap { found in
            change.parts.flatMap(\.steps).first { $0.resource == found.resource }.map { step in
                SettingProblem(
                    path: step.path, value: nil, code: .system,
                    reason:
                        "would overwrite \(found.resource), which was edited outside Cleat while the probes were checked; "
                        + "see 'cleat drift'")
            }
        }
        guard problems.isEmpty else { throw Self.refusal(problems, count: problems.count) }
        return watch
    }

    /// Collects the data of a change in a running transaction.
    func prepare(
        _ proposal: SettingsProposal, _ signature: Signature, _ machine: TransactionMachine, _ change: SystemChange,
        window: Int64? = nil
    ) -> RunningTransaction {
        let stamp = CommitStamp.now(bootID: bootID)
        var running = RunningTransaction(
            machine: machine, id: signature.id, owner: signature.author.name, comment: signature.comment,
            cause: signature.cause, began: stamp, window: window,
            request: CommitRequest(
                changes: proposal.differences, id: signature.id, hash: signature.hash, expect: reference,
                author: signature.author.name, comment: signature.comment, stamp: stamp),
            after: proposal.settings, changes: proposal.differences)
        running.change = change
        running.before = settings
        running.sourcesRevision = sourcesRevision
        return running
    }

    /// Resumes a change that another run of the service has left on trial: it is undone if it was interrupted or the
    /// board was restarted, else it waits for the remaining time.
    ///
    /// This is called before anything else happens.
    package func resume(_ stored: StoredTrial) async {
        let isSameBoot = stored.deadline?.bootID == bootID
        let remains: TransactionMachine.Remains =
            switch stored.phase {
            case .awaitingConfirm where stored.isOvertaken: .begun
            case .awaitingConfirm where stored.id == volatileState.undoneTrial: .reverting
            case .awaitingConfirm: isSameBoot ? .waiting : .waitingInAnotherBoot
            case .reverting, .revertFailed: .reverting
            default: .begun
            }
        let (machine, action) = TransactionMachine.resumed(remains)
        let before = settings
        settings = settings.changingStored(stored.changes)
        reference = stored.generation
        var running = RunningTransaction(
            machine: machine, id: stored.id, owner: stored.owner, comment: nil, cause: nil, began: stored.began,
            window: stored.window, request: nil, generation: stored.generation, changes: stored.changes,
            deadline: isSameBoot ? stored.deadline.map { BootTime(milliseconds: $0.bootTime) } : nil)
        running.changes = stored.changes
        // Unreadable mementos are reported, and the others are restored.
        for memento in stored.mementos {
            do {
                running.mementos.append(try Memento(encoded: memento.state))
            } catch {
                running.lost.append(
                    CleatAPI.AdapterResult(
                        adapter: memento.adapter, state: .failed,
                        message: "what \(memento.resource) was before cannot be read any more (\(error)), so that it "
                            + "stays as it is; see 'cleat drift'"))
            }
        }
        running.before = before
        // Released resources are forgotten when it is confirmed, and touched ones are not reconciled until then.
        running.change = follower.change(
            from: before, to: settings, at: stored.changes.map(\.path),
            rewriting: stored.changes.filter(\.isRewritten).map(\.path))
        running.probes = ProbeWatch(stored.probes)
        running.reason =
            switch remains {
            case .begun where stored.isOvertaken: "an older release has made another change meanwhile"
            case .waitingInAnotherBoot: "the board was restarted before it was confirmed"
            case .reverting: "it was being undone when the service ended"
            default: "the service ended while it was being applied"
            }
        transaction = running
        let isDone = await perform(action)
        // The result and the failure are in the engine's own transaction by now.
        await drive(transaction ?? running, isDone ? .done : .failed)
        if remains == .waiting { beginProbing() }
    }

    /// Describes the state of a change that was on trial when the service ended, once ``resume(_:)`` has returned.
    package func resumed(_ stored: StoredTrial) -> String {
        let what = "change \(stored.id) of \(stored.owner), which was on trial when the service ended,"
        guard let transaction else { return "\(what) was undone; generation \(reference.generation) is in force" }
        guard let remaining = transaction.remaining else {
            return "\(what) could not be undone: \(transaction.failures.joined(separator: "; ")); "
                + "'cleat abort \(stored.id)' tries again"
        }
        return "\(what) is on trial for another \(DurationText.text(milliseconds: remaining))"
    }
}
