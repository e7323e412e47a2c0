import CleatAPI
import CleatAdapters
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Writes what the settings say to resources, even if they were edited outside: at once, or on trial, as a
    /// generation that changes no setting.
    ///
    /// - Parameters:
    ///   - request: The names of the resources, and the confirm window and probes of a trial.
    ///   - author: The caller.
    ///   - cause: The hooks that caused it.
    /// - Returns: The results, and the remaining drift.
    /// - Throws: `APIError` if one of them has no drift, a change is on trial, or it could not be applied; then nothing
    ///   has happened, or everything is undone.
    func reapply(
        _ request: SystemInterface.Reapply.Parameters, author: Author, cause: String?
    ) async throws -> SystemInterface.Reapply.Reply {
        guard request.confirm != nil || request.until != nil else {
            try Self.requireTrial(request.id, request.comment)
            return try await reapply(request.names, author: author)
        }
        let (window, probes) = try terms(request.id, request.comment, request.confirm, request.until)
        let signature = Signature(
            id: request.id ?? Self.makeID(), hash: SettingsPlan.reapplyHash(request.names), author: author,
            comment: request.comment, cause: cause, probes: probes)
        await takeTurn()
        defer { endTurn() }
        if let former = try await formerAnswer(to: request.id, hash: signature.hash) { return await told(former) }
        try requireNoTrial()
        let chosen = try await chosen(request.names)
        let found = try await follower.reconcile(
            settings, known: try await knownResources(), .repair(Set(chosen.map(\.resource))), leaving: [],
            isComplete: areSourcesComplete)
        let proposal = settings.propose(try ChangeSet([]), to: .committed)
        guard var change = found?.change, !change.isEmpty else {
            return await told(reply(.unchanged, to: signature, proposal))
        }
        // From here on their settings are applied, and reverted, like those of other interfaces.
        follower = follower.holding(
            follower.adapters.heldInterfaces.subtracting(
                chosen.filter(\.isHeld).compactMap { $0.setting?.parent?.name }))
        var named = signature
        named.comment = signature.comment ?? Self.comment("reapplied", chosen.map(\.name))
        change.contents = try await contents(of: change)
        let answer: SettingsInterface.Set.Reply
        do {
            answer = try await begin(proposal, named, window: window, change)
        } catch {
            await reconcile(.look, isComplete: areSourcesComplete)
            throw error
        }
        await reconcile(.look, isComplete: areSourcesComplete)
        return await told(answer)
    }

    /// Validates the parameters of a trial, and returns its confirm window in milliseconds and its probes.
    func terms(
        _ id: String?, _ comment: String?, _ confirm: Int64?, _ until: [String]?
    ) throws -> (window: Int64?, probes: [Probe]) {
        try SettingsPlan.checkWords(id: id, comment: comment)
        try Self.checkWindow(confirm)
        let probes = try probes(until)
        return (Self.window(confirm, probes), probes)
    }

    /// Refuses an id and a comment for a request that is not a transaction.
    nonisolated static func requireTrial(_ id: String?, _ comment: String?) throws(APIError) {
        guard id != nil || comment != nil else { return }
        throw .invalidValue([
            RefusedChange(
                path: id == nil ? "comment" : "id", code: "confirm",
                reason: "belongs to a change on trial here; add --confirm, or leave it out")
        ])
    }

    /// Returns the history's comment for a change that is about resources.
    nonisolated static func comment(_ verb: String, _ names: [String]) -> String {
        names.count > 8 ? "\(verb) \(names.count) values" : "\(verb) \(names.sorted().joined(separator: ", "))"
    }

    private func told(_ answer: SettingsInterface.Set.Reply) async -> SystemInterface.Reapply.Reply {
        SystemInterface.Reapply.Reply(
            results: answer.results, drift: await described(standing.drift), id: answer.id, store: answer.store,
            generation: answer.generation, state: answer.state, window: answer.window, probes: answer.probes)
    }
}
