import CleatAPI
import CleatAdapters
import CleatJSON
import CleatSettings

extension SettingsWriter {
    /// The approximate maximum size in bytes of the results of a rehearsal.
    private static let rehearsalBytes = 224 * 1_024

    /// Makes a change and reverts it at once, as a transaction that ends in its revert, and compares all that it touched
    /// with its former state.
    ///
    /// - Returns: The reply, with a result for each resource; `checked` if nothing in the system would change.
    /// - Throws: `APIError` if the change could not be made, or could not be reverted.
    func rehearse(
        _ proposal: SettingsProposal, _ signature: Signature, _ change: SystemChange
    ) async throws -> SettingsInterface.Set.Reply {
        guard proposal.volatileDifferences.isEmpty else {
            throw APIError.invalidValue([
                RefusedChange(
                    path: "rehearse", code: "rehearse",
                    reason: "volatile changes cannot be rehearsed; use plan instead")
            ])
        }
        guard !proposal.isEmpty, !change.isEmpty else {
            var answer = reply(proposal.isEmpty ? .unchanged : .checked, to: signature, proposal)
            answer.results = []
            answer.rehearsal = []
            return answer
        }
        let signature = Signature(
            id: signature.id, hash: signature.hash, author: signature.author,
            comment: signature.comment.map { "rehearsal: \($0)" } ?? "rehearsal", cause: signature.cause)
        var running = runner.prepare(proposal, signature, TransactionMachine(isTrial: false, isRehearsal: true), change)
        running.revert.reason = "it was a rehearsal"
        let end = await runner.drive(running, .begin)
        switch end.machine.state {
        case .refused: throw end.failure ?? .storeFailed(code: "arm", message: "the revert could not be prepared")
        case .reverted:
            let verified = try await applier.verify(end.mementos)
            let differing = verified.compactMap { resource -> String? in
                guard case .differs(let how) = resource.state else { return nil }
                return "\(resource.resource): \(how)"
            }
            if end.failure != nil || !end.revert.failedActions.isEmpty {
                let after =
                    differing.isEmpty
                    ? end.revert.failedActions.outcome(of: end.applied.results) : differing.joined(separator: "; ")
                throw APIError.notApplied(
                    id: end.id, generation: reference.generation, results: end.results,
                    message: "the rehearsal failed: \(end.revert.reason). \(after)")
            }
            var answer = reply(.reverted, to: signature, proposal, results: end.applied.results, notes: change.notes)
            answer.rehearsal = Self.bounded(verified)
            return answer
        default:
            throw APIError.notReverted(
                id: end.id, generation: reference.generation, results: end.results,
                message: "not all of the rehearsal could be reverted: \(end.revert.failures.joined(separator: "; "))")
        }
    }

    /// Returns the results as far as they fit into a reply, differences first.
    private static func bounded(_ verified: [VerifiedResource]) -> [RehearsedStep] {
        // A part that is only changed if it is there is not reported if it is missing.
        let steps = verified.filter { !$0.resource.isPartOfFile || $0.state != .untouched }.map { RehearsedStep($0) }
        let ordered = steps.filter { $0.state == .differs } + steps.filter { $0.state != .differs }
        var kept: [RehearsedStep] = []
        var bytes = 0
        for step in ordered {
            bytes += step.encoded.bytes.count
            guard bytes <= rehearsalBytes else {
                kept.append(
                    RehearsedStep(
                        adapter: step.adapter, kind: step.kind, resource: "and \(ordered.count - kept.count) more",
                        state: step.state, message: "too many for one reply"))
                break
            }
            kept.append(step)
        }
        return kept
    }
}

extension RehearsedStep {
    /// Creates the result in its wire format.
    init(_ verified: VerifiedResource) {
        let (state, message): (State, String) =
            switch verified.state {
            case .same: (.restored, "restored")
            case .differs(let how): (.differs, how)
            case .untouched: (.skipped, "not changed")
            }
        self.init(
            adapter: verified.adapter, kind: verified.resource.kind, resource: verified.resource.description,
            state: state, message: message)
    }
}
