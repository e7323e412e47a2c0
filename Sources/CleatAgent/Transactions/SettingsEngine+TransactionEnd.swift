import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Confirms the change that is on trial.
    func confirm(_ id: String) async throws -> TransactionsInterface.End {
        await takeTurn()
        defer { endTurn() }
        guard var running = try onTrial(id) else { return try await former(id, .confirmed) }
        guard running.machine.state == .awaitingConfirm else { throw running.refusal }
        if let deadline = running.deadline, deadline <= .now() {
            running.reason = "its time was over before it was confirmed"
            let end = await drive(running, .windowEnded)
            guard end.machine.state == .reverted else {
                throw notReverted(end, "change \(id) was not confirmed in time, and not all of it could be undone")
            }
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

    /// Undoes the change that is on trial, or retries the revert.
    func abort(_ id: String, author: Author) async throws -> TransactionsInterface.End {
        await takeTurn()
        defer { endTurn() }
        guard var running = try onTrial(id) else { return try await former(id, .reverted) }
        switch running.machine.state {
        case .awaitingConfirm: running.reason = "\(author.name) aborted it"
        // The caller has removed the obstacle: the automatic retries start again.
        case .revertFailed: running.attempts = 0
        default: throw running.refusal
        }
        running.undoneBy = author.name
        let end = await drive(running, .abort)
        guard end.machine.state == .reverted else {
            throw notReverted(end, "not all of change \(id) could be undone")
        }
        return .init(
            id: id, store: reference.store, generation: reference.generation, state: .reverted, results: end.results)
    }

    private func notReverted(_ end: RunningTransaction, _ words: String) -> APIError {
        .notReverted(
            id: end.id, generation: reference.generation, results: end.results,
            message: "\(words): \(end.failures.joined(separator: "; "))")
    }

    /// The change that could not be undone; nil if there is none.
    var failedRevert: RunningTransaction? { transaction.flatMap { $0.machine.state == .revertFailed ? $0 : nil } }

    /// Restarts the confirm window of the change on trial with a new length in milliseconds.
    func extend(_ id: String, window: Int64) async throws -> Trial {
        try Self.checkWindow(window, named: "window")
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
    /// - Returns: The change; nil if nothing is on trial.
    /// - Throws: An error if another one is on trial.
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

    /// Returns the reply to a caller that ends a change that has ended: the same as then, if it requests the same.
    private func former(
        _ id: String, _ state: TransactionsInterface.End.State
    ) async throws -> TransactionsInterface.End {
        let end = try await ended(id)
        guard end.state == state else {
            let words =
                end.state == .confirmed
                ? "was confirmed as generation \(end.generation); 'cleat rollback' undoes it"
                : "was undone by generation \(end.generation); make it again"
            throw APIError.noTransaction(id: id, message: "change \(id) \(words)")
        }
        return end
    }

    /// Returns the end of a change that is no longer on trial.
    func ended(_ id: String) async throws -> TransactionsInterface.End {
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
        let undoing = ended == .reverted ? try await undoing(of: record) : nil
        return .init(
            id: id, store: reference.store, generation: undoing?.number ?? record.number, state: ended,
            reason: ended == .reverted ? undoing?.reason : confirmedBy(record))
    }

    /// Returns the generation that undid another one, and the reason: it is the next one, unless an older release had
    /// made a change in between.
    private func undoing(of record: GenerationRecord) async throws -> (number: Int64, reason: String)? {
        let prefix = StoreFile.undone(record.number, record.id)
        for step in 1...8 as ClosedRange<Int64> {
            let (number, isTooLarge) = record.number.addingReportingOverflow(step)
            guard !isTooLarge, let comment = try await store.record(number: number)?.comment, comment.hasPrefix(prefix)
            else {
                continue
            }
            return (number, String(comment.dropFirst(prefix.count)))
        }
        return nil
    }

    /// Returns the comment about the probes that have confirmed a trial, as the history has it; nil if a caller did.
    private func confirmedBy(_ record: GenerationRecord) -> String? {
        // It is stored after the author's comment, which may contain the same words.
        let comment = record.comment ?? ""
        let note = comment.indices.last { index in
            comment[index...].hasPrefix(ProbeWatch.confirmed)
                && (index == comment.startIndex || comment[..<index].hasSuffix("; "))
        }.map { comment[$0...] }
        guard let note else { return nil }
        let names = note.dropFirst(ProbeWatch.confirmed.count).split(separator: ",")
        let areProbes = names.allSatisfy { (try? Probe(String($0.drop { $0 == " " }))) != nil }
        return areProbes && !names.isEmpty ? String(note) : nil
    }
}
