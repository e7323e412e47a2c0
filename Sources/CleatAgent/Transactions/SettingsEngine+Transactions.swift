import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
package import CleatStore

extension SettingsEngine {
    /// How often undoing is tried again without being asked, and after how many seconds each time.
    private static let retries: [Int64] = [5, 60, 600]

    /// Refuses a window that is no trial, or one for what is not committed.
    nonisolated static func checkWindow(_ window: Int64?, layer: ResolvedSetting.Origin = .committed) throws(APIError) {
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
                    path: "confirm", value: .integer(window), code: "range",
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

    /// The change on trial, as the wire tells it.
    var trial: Trial? {
        guard let transaction, let generation = transaction.generation else { return nil }
        return describe(transaction, generation)
    }

    private func describe(_ running: RunningTransaction, _ generation: GenerationRef) -> Trial {
        let (changes, omitted) = [ChangeRecord].records(of: running.changes, in: settings)
        return Trial(
            id: running.id, store: generation.store, generation: generation.generation, owner: running.owner,
            comment: running.comment, began: WallTime(milliseconds: running.began.time).description,
            phase: running.phase, window: running.window, remaining: running.remaining, changes: changes,
            omitted: omitted, failures: running.failures.isEmpty ? nil : running.failures)
    }

    // MARK: Beginning

    /// Makes a change that the system follows, or that is on trial: armed before anything happens, then in force, and
    /// undone where the system cannot follow it, or unless it is confirmed.
    ///
    /// - Parameters:
    ///   - proposal: the change.
    ///   - signature: what it is to be remembered by.
    ///   - window: how long it is on trial, in milliseconds; nil where it is confirmed as soon as it is applied.
    ///   - change: what changes in the system.
    /// - Returns: the answer, once it is confirmed or the countdown has begun.
    /// - Throws: `APIError`, and then nothing has changed, or all is undone.
    func begin(
        _ proposal: SettingsProposal, _ signature: Signature, window: Int64?, _ change: SystemChange
    ) async throws -> SettingsInterface.Set.Reply {
        let stamp = CommitStamp.now(bootID: bootID)
        var running = RunningTransaction(
            machine: TransactionMachine(isTrial: window != nil), id: signature.id, owner: signature.author,
            comment: signature.comment, cause: signature.cause, began: stamp, window: window,
            request: CommitRequest(
                changes: proposal.differences, id: signature.id, hash: signature.hash, expect: reference,
                author: signature.author, comment: signature.comment, stamp: stamp),
            after: proposal.settings, changes: proposal.differences)
        running.change = change
        running.before = settings
        let end = await drive(running, .begin)
        switch end.machine.state {
        case .awaitingConfirm:
            var answer = reply(.pending, to: signature, proposal, results: end.results)
            answer.window = window
            return answer
        case .confirmed: return reply(.confirmed, to: signature, proposal, results: end.results)
        case .refused: throw end.failure ?? .storeFailed(code: "arm", message: "the change could not be armed")
        case .reverted:
            throw APIError.notApplied(
                id: end.id, generation: reference.generation, results: end.results,
                message: "\(end.reason); all is as it was before")
        default:
            throw APIError.notReverted(
                id: end.id, generation: reference.generation, results: end.results,
                message: "\(end.reason), and not all could be undone: \(end.failures.joined(separator: "; "))")
        }
    }

    /// Goes on with what another run of the service has left on trial: undone where it was cut off or the board has been
    /// started anew, else for the time that remains.
    ///
    /// Called before anything else happens.
    package func resume(_ stored: StoredTrial) async {
        let isSameBoot = stored.deadline?.bootID == bootID
        let remains: TransactionMachine.Remains =
            switch stored.phase {
            case .awaitingConfirm where stored.isOvertaken: .begun
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
        // What cannot be read any more is told, and the rest is brought back.
        for memento in stored.mementos {
            do {
                running.mementos.append(try Memento(encoded: memento.state))
            } catch {
                running.failures.append("\(memento.resource): \(error)")
            }
        }
        running.before = before
        running.reason =
            switch remains {
            case .begun where stored.isOvertaken: "an older release has made another change meanwhile"
            case .waitingInAnotherBoot: "the board was started anew before it was confirmed"
            case .reverting: "it was being undone when the service ended"
            default: "the service ended while it was being applied"
            }
        transaction = running
        await drive(running, await perform(action) ? .done : .failed)
    }

    // MARK: Ending

    /// Keeps the change that is on trial.
    func confirm(_ id: String) async throws -> TransactionsInterface.End {
        await takeTurn()
        defer { endTurn() }
        guard var running = try onTrial(id) else { return try await former(id, .confirmed) }
        guard running.machine.state == .awaitingConfirm else { throw running.refusal }
        if let deadline = running.deadline, deadline <= .now() {
            running.reason = "its time was over before it was confirmed"
            await drive(running, .windowEnded)
            throw APIError.noTransaction(
                id: id, message: "change \(id) was not confirmed in time and was undone; make it again")
        }
        let end = await drive(running, .confirm)
        guard end.machine.state == .confirmed else {
            throw end.failure
                ?? .storeFailed(code: "confirm", message: "the confirmation could not be stored; try again")
        }
        return .init(id: id, store: reference.store, generation: reference.generation, state: .confirmed)
    }

    /// Undoes the change that is on trial, or tries that again.
    func abort(_ id: String, author: String) async throws -> TransactionsInterface.End {
        await takeTurn()
        defer { endTurn() }
        guard var running = try onTrial(id) else { return try await former(id, .reverted) }
        switch running.machine.state {
        case .awaitingConfirm: running.reason = "\(author) aborted it"
        case .revertFailed: break
        default: throw running.refusal
        }
        running.undoneBy = author
        let end = await drive(running, .abort)
        guard end.machine.state == .reverted else {
            throw APIError.notReverted(
                id: id, generation: reference.generation, results: end.results,
                message: "not all of change \(id) could be undone: \(end.failures.joined(separator: "; "))")
        }
        return .init(
            id: id, store: reference.store, generation: reference.generation, state: .reverted, results: end.results)
    }

    /// Sets how long the change on trial waits from now on.
    func extend(_ id: String, window: Int64) async throws -> Trial {
        try Self.checkWindow(window)
        await takeTurn()
        defer { endTurn() }
        guard let running = try onTrial(id) else {
            throw APIError.noTransaction(id: id, message: "change \(id) is not on trial; see 'cleat status'")
        }
        guard running.machine.state == .awaitingConfirm else { throw running.refusal }
        let deadline = BootTime.now().advanced(by: .milliseconds(window))
        do {
            try await store.extend(to: TrialDeadline(bootID: bootID, bootTime: deadline.milliseconds))
        } catch {
            throw Self.failure(error)
        }
        transaction?.window = window
        wait(until: deadline)
        return describe(transaction ?? running, running.generation ?? reference)
    }

    /// Finds the change on trial by its id.
    ///
    /// - Returns: nil where nothing is on trial.
    /// - Throws: where another one is.
    private func onTrial(_ id: String) throws(APIError) -> RunningTransaction? {
        guard APILimits.isValidID(id) else {
            throw .unknownTransaction(
                id: String(id.prefix(APILimits.idBytes)), message: "that is no id of a change; see 'cleat status'")
        }
        guard let transaction else { return nil }
        guard transaction.id == id else {
            throw .unknownTransaction(
                id: id, message: "change \(id) is not on trial; \(transaction.id) of \(transaction.owner) is")
        }
        return transaction
    }

    /// The answer to somebody who ends a change that has ended: the same as then, where they want the same.
    private func former(
        _ id: String, _ state: TransactionsInterface.End.State
    ) async throws -> TransactionsInterface.End {
        let record = try await record(ofID: id)
        let ended: TransactionsInterface.End.State? =
            switch record?.state {
            case GenerationRecord.confirmed: .confirmed
            case GenerationRecord.reverted: .reverted
            default: nil
            }
        guard let record, let ended else {
            throw APIError.noTransaction(id: id, message: "no change is on trial, and none was ever called \(id)")
        }
        guard ended == state else {
            let word = ended == .confirmed ? "was confirmed; 'cleat rollback' undoes it" : "was undone; make it again"
            throw APIError.noTransaction(id: id, message: "change \(id), generation \(record.number), \(word)")
        }
        return .init(id: id, store: reference.store, generation: record.number, state: ended)
    }

    // MARK: Going on

    /// Does what the machine asks for until it waits or has ended.
    ///
    /// - Returns: the transaction as it is then; the engine has forgotten one that has ended.
    @discardableResult
    private func drive(_ running: RunningTransaction, _ event: TransactionMachine.Event) async -> RunningTransaction {
        transaction = running
        var next: TransactionMachine.Event? = event
        while let event = next {
            next = nil
            do {
                guard let action = try transaction?.machine.handle(event) else { break }
                next = await perform(action) ? .done : .failed
            } catch {
                // What may not happen now was refused before, so this is a fault of ours, and told as one.
                transaction?.failure = .storeFailed(code: "internal", message: "\(error)")
            }
        }
        let reached = transaction ?? running
        switch reached.machine.state {
        case .refused: transaction = nil
        case .confirmed, .reverted:
            reached.timer?.cancel()
            transaction = nil
            tell(reached.machine.state == .confirmed ? "confirmed" : "reverted", of: reached)
        case .revertFailed:
            transaction?.attempts += 1
            tell("revert-failed", of: reached)
            tryAgain(after: reached.attempts)
        default: break
        }
        return reached
    }

    /// Does one thing that the machine asks for; says whether it could be done.
    private func perform(_ action: TransactionMachine.Action) async -> Bool {
        do {
            switch action {
            case .arm: try await arm()
            case .apply: try await apply()
            case .probe: break
            case .beginWindow: try await beginWindow()
            case .recordConfirmation: try await recordConfirmation()
            case .restore: try await restore()
            case .recordRevert: try await recordRevert()
            case .recordFailure: try await store.markRevertFailed(transaction?.failures.joined(separator: "\n") ?? "")
            }
            return true
        } catch {
            let failure = (error as? APIError) ?? (error as? StoreError).map(Self.failure)
            transaction?.failure = failure ?? .storeFailed(code: "internal", message: "\(error)")
            if transaction?.machine.state == .reverting || transaction?.machine.state == .revertFailed {
                if transaction?.failures.isEmpty ?? true { transaction?.failures = ["\(error)"] }
            } else {
                transaction?.reason = "\(error)"
            }
            return false
        }
    }

    private func arm() async throws {
        guard let running = transaction, let request = running.request, let after = running.after else { return }
        let mementos = try await follower.capture(running.change)
        // What is let go comes back as it was before Cleat first touched it; what is taken is remembered as it is now.
        var origins: [Resource: Memento] = [:]
        for step in running.change.parts.flatMap(\.steps) where step.bringsOriginBack {
            guard let stored = try await store.origin(of: step.resource.text) else { continue }
            origins[step.resource] = try Memento(encoded: stored.state)
        }
        let taken = Set(running.change.parts.flatMap(\.steps).filter { !$0.bringsOriginBack }.map(\.resource))
        let outcome = try await store.arm(
            request,
            TrialRequest(
                window: running.window, mementos: mementos.map { StoredMemento($0) },
                origins: mementos.filter { taken.contains($0.resource) }.map { StoredMemento($0) }))
        transaction?.mementos = mementos
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
        guard let running = transaction, !running.change.isEmpty else { return }
        let results = try await follower.apply(running.change, origins: running.origins)
        transaction?.results = results
        if let failure = results.first(where: { $0.state == .failed }) {
            throw APIError.storeFailed(code: "apply", message: "\(failure.adapter): \(failure.message)")
        }
    }

    private func beginWindow() async throws {
        guard let running = transaction else { return }
        if let deadline = running.deadline { return wait(until: deadline) }
        let deadline = BootTime.now().advanced(by: .milliseconds(running.window ?? APILimits.window.lowerBound))
        try await store.awaitConfirm(deadline: TrialDeadline(bootID: bootID, bootTime: deadline.milliseconds))
        wait(until: deadline)
    }

    private func recordConfirmation() async throws {
        guard let running = transaction else { return }
        let released = running.change.parts.flatMap(\.steps).filter(\.bringsOriginBack).map(\.resource.text)
        let outcome = try await store.confirm(id: running.id, forgetting: released)
        if case .confirmed(let generation, _) = outcome { reference = generation }
        noteTrialPaths(running)
        onCommit(settings)
    }

    private func restore() async throws {
        transaction?.timer?.cancel()
        transaction?.failures = []
        try await store.setPhase(.reverting)
        guard let running = transaction, !running.mementos.isEmpty || !running.change.isEmpty else { return }
        let results = try await follower.restore(
            running.mementos, from: settings, to: running.before ?? settings, at: Array(running.paths))
        transaction?.results = results
        let failed = results.filter { $0.state == .failed }
        guard failed.isEmpty else {
            transaction?.failures = failed.map { "\($0.adapter): \($0.message)" }
            throw APIError.notReverted(
                id: running.id, generation: reference.generation, results: results,
                message: transaction?.failures.joined(separator: "; ") ?? "")
        }
    }

    private func recordRevert() async throws {
        guard let running = transaction else { return }
        let outcome = try await store.revert(
            id: running.id, stamp: .now(bootID: bootID), author: running.undoneBy,
            reason: running.reason)
        guard case .reverted(let generation, let changes) = outcome else { return }
        let after = settings.changingStored(changes)
        let effects = SettingsEffects(of: changes, before: settings, after: after)
        settings = after
        reference = generation
        await tell(effects, author: running.undoneBy, cause: nil)
        noteTrialPaths(running)
    }

    /// Tells those who watch that values are no longer on trial.
    private func noteTrialPaths(_ running: RunningTransaction) {
        guard running.machine.isTrial else { return }
        for watcher in watchers.values { watcher.note(running.changes.map(\.path)) }
    }

    private func tell(_ action: String, of running: RunningTransaction) {
        var properties = [
            "OWNER": running.owner, "GENERATION": String(running.generation?.generation ?? reference.generation),
        ]
        if let window = running.window { properties["WINDOW_MS"] = String(window) }
        if !running.reason.isEmpty, action != "pending", action != "confirmed" { properties["REASON"] = running.reason }
        bus.publish(
            EventDraft(
                source: .agent, action: "change-\(action)", subject: running.id, properties: PropertyBlock(properties),
                cause: running.cause))
    }

    // MARK: Time

    /// Waits for the instant at which the trial ends by itself.
    private func wait(until deadline: BootTime) {
        transaction?.timer?.cancel()
        transaction?.deadline = deadline
        schedule(at: deadline) { engine, id in await engine.windowEnded(id) }
    }

    private func windowEnded(_ id: String) async {
        await takeTurn()
        defer { endTurn() }
        guard var running = transaction, running.id == id, running.machine.state == .awaitingConfirm,
            let deadline = running.deadline, deadline <= .now()
        else { return }
        // It is the task that this runs in.
        running.timer = nil
        let window = running.window.map { " of \(DurationText.text(milliseconds: $0))" } ?? ""
        running.reason = "nobody confirmed it in its time\(window)"
        await drive(running, .windowEnded)
    }

    /// Tries some time later again to undo what could not be undone; after the last time only somebody's `abort` does.
    private func tryAgain(after attempts: Int) {
        guard attempts < Self.retries.count else { return }
        schedule(at: .now().advanced(by: .seconds(Self.retries[attempts]))) { engine, id in await engine.retry(id) }
    }

    private func retry(_ id: String) async {
        await takeTurn()
        defer { endTurn() }
        guard var running = transaction, running.id == id, running.machine.state == .revertFailed else { return }
        running.timer = nil
        await drive(running, .abort)
    }

    private func schedule(at time: BootTime, _ body: @escaping @Sendable (SettingsEngine, String) async -> Void) {
        guard let id = transaction?.id else { return }
        transaction?.timer = loop.task(name: "trial") {
            do {
                try await self.loop.sleep(until: time)
            } catch {
                return
            }
            await body(self, id)
        }
    }

    /// Ends what waits; a trial goes on with the next run of the service.
    package func stop() {
        transaction?.timer?.cancel()
    }
}
