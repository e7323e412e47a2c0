import CleatAPI
import CleatHooks
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// The delay between two rounds of probe checks.
    private static let probeInterval = Duration.seconds(1)

    // MARK: Asking

    /// Parses the probes of a request.
    ///
    /// - Throws: `APIError` with all problems: invalid texts, unknown commands, too many probes, or a layer that cannot
    ///   be on trial.
    nonisolated func probes(
        _ texts: [String]?, layer: ResolvedSetting.Origin = .committed
    ) throws(APIError) -> [Probe] {
        guard let texts, !texts.isEmpty else { return [] }
        guard layer == .committed else {
            throw Self.refusal(
                nil, "volatile changes end with the boot and cannot be on trial; leave out --until or --volatile")
        }
        guard texts.count <= APILimits.probes else {
            throw Self.refusal(nil, "\(texts.count) probes are more than the \(APILimits.probes) of one change")
        }
        let commands = prober.probes.commands
        var probes: [Probe] = []
        var problems: [RefusedChange] = []
        for text in texts {
            do throws(ProbeTextError) {
                let probe = try Probe(text)
                if case .command(let name) = probe.target, commands[name] == nil {
                    problems.append(
                        Self.problem(
                            probe.description,
                            "\(probe) names no command in force: put \(name).json5 into probes.d and reload, or see "
                                + "'cleat status'"))
                } else if !probes.contains(probe) {
                    probes.append(probe)
                }
            } catch {
                problems.append(Self.problem(error.excerpt, error.description))
            }
        }
        guard problems.isEmpty else { throw .invalidValue(problems) }
        return probes
    }

    private nonisolated static func problem(_ text: String, _ reason: String) -> RefusedChange {
        RefusedChange(path: "until", value: .string(text), code: "probe", reason: reason)
    }

    private nonisolated static func refusal(_ text: String?, _ reason: String) -> APIError {
        .invalidValue([RefusedChange(path: "until", value: text.map { .string($0) }, code: "probe", reason: reason)])
    }

    /// Returns the confirm window of a change with these probes, in milliseconds; nil if it is not on trial.
    nonisolated static func window(_ confirm: Int64?, _ probes: [Probe]) -> Int64? {
        confirm ?? (probes.isEmpty ? nil : APILimits.probeWindow)
    }

    /// Checks each probe once before a change; returns nil if there is none.
    ///
    /// - Throws: `APIError` if one can never be checked here: it would prove nothing, and must not be treated as one
    ///   that did not hold before.
    func lookBefore(_ probes: [Probe]) async throws(APIError) -> ProbeWatch? {
        guard !probes.isEmpty else { return nil }
        let outcomes = await prober.look(at: probes)
        let impossible = zip(probes, outcomes).filter { $0.1.isImpossible }
        guard impossible.isEmpty else {
            throw .invalidValue(
                impossible.map { Self.problem($0.0.description, "\($0.0) cannot be checked: \($0.1.message)") })
        }
        return ProbeWatch(probes, before: outcomes)
    }

    // MARK: Looking

    /// Starts to check the probes of the change on trial, until they hold or it ends.
    func beginProbing() {
        guard let transaction, transaction.probes != nil else { return }
        let id = transaction.id
        transaction.probing?.cancel()
        self.transaction?.probing = loop.task(name: "probes") { await self.lookAgain(id) }
    }

    private func lookAgain(_ id: String) async {
        while let probes = probesOnTrial(id) {
            let outcomes = await prober.look(at: probes.waitedFor)
            // An interrupted check has shown nothing.
            guard !Task.isCancelled, probesOnTrial(id) != nil else { return }
            if transaction?.probes?.note(outcomes) == true, await probesHeld(id) { return }
            do {
                try await loop.sleep(for: Self.probeInterval)
            } catch {
                return
            }
        }
    }

    private func probesOnTrial(_ id: String) -> ProbeWatch? {
        guard let transaction, transaction.id == id,
            [.applying, .probing, .awaitingConfirm].contains(transaction.machine.state)
        else { return nil }
        return transaction.probes
    }

    /// Confirms the change on trial, since its probes hold.
    ///
    /// - Returns: True if no further checks are needed.
    private func probesHeld(_ id: String) async -> Bool {
        await takeTurn()
        defer { endTurn() }
        guard var running = transaction, running.id == id, running.machine.state == .awaitingConfirm,
            let probes = running.probes, let deadline = running.deadline
        else { return true }
        // The confirm window ends by the timer, which has its turn next.
        guard deadline > .now() else { return true }
        let task = running.probing
        // This function runs in that task, which must not be cancelled.
        running.probing = nil
        running.note = ProbeWatch.confirmed + probes.names
        let end = await drive(running, .confirm)
        guard transaction?.id == id, end.machine.state == .awaitingConfirm else { return true }
        // It could not be stored; a later attempt may succeed.
        transaction?.probing = task
        transaction?.note = nil
        transaction?.probes?.startAgain(after: end.failure?.description ?? "nothing says why")
        return false
    }

    // MARK: Waiting for the end

    /// Waits until a change on trial has ended, and returns its end.
    ///
    /// - Throws: `APIError` if it could not be undone, or there was none with that id.
    func waitForEnd(_ id: String) async throws -> TransactionsInterface.End {
        guard APILimits.isValidID(id) else {
            throw APIError.unknownTransaction(
                id: String(id.prefix(APILimits.idBytes)), message: "that is no id of a change; see 'cleat status'")
        }
        guard let transaction, transaction.id == id else { return try await ended(id) }
        if transaction.machine.state == .revertFailed { throw notReverted(transaction) }
        let ending = TrialEnding(of: id)
        endings.append(ending)
        defer { endings.removeAll { $0 === ending } }
        return try await ending.wait()
    }

    /// Notifies the waiting callers of the end of a change, and stops checking its probes.
    func conclude(_ reached: RunningTransaction) {
        let outcome: Result<TransactionsInterface.End, any Error>
        switch reached.machine.state {
        case .confirmed, .reverted:
            let isConfirmed = reached.machine.state == .confirmed
            outcome = .success(
                .init(
                    id: reached.id, store: reference.store, generation: reference.generation,
                    state: isConfirmed ? .confirmed : .reverted, results: isConfirmed ? [] : reached.results,
                    reason: isConfirmed ? reached.note : reached.reason))
        case .refused:
            outcome = .failure(
                reached.failure ?? APIError.noTransaction(id: reached.id, message: "the change was not made"))
        case .revertFailed: outcome = .failure(notReverted(reached))
        default: return
        }
        reached.probing?.cancel()
        for ending in endings where ending.id == reached.id { ending.finish(outcome) }
    }

    private func notReverted(_ running: RunningTransaction) -> APIError {
        .notReverted(
            id: running.id, generation: reference.generation, results: running.results,
            message:
                "\(running.reason.withoutFullStop). Not all could be undone: \(running.failures.joined(separator: "; "))"
        )
    }
}
