import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatStore

/// Resolves drift, as a caller decides: outside edits are overwritten (reapply) or adopted.
///
/// Its callers hold the write lock.
struct DriftResolver: EnginePart {
    let live: LiveState
    let reconciler: SystemReconciler
    let writer: SettingsWriter

    /// Writes what the settings say to resources, even if they were edited outside: at once, or on trial, as a
    /// generation that changes no setting.
    ///
    /// - Parameters:
    ///   - request: The names of the resources.
    ///   - terms: The confirm window and the probes of a trial; nil to do it at once.
    ///   - author: The caller.
    ///   - cause: The hooks that caused it.
    /// - Returns: The results, and the remaining drift.
    /// - Throws: `APIError` if one of them has no drift, a change is on trial, or it could not be applied; then nothing
    ///   has happened, or everything is reverted.
    func reapply(
        _ request: SystemInterface.Reapply.Parameters, _ terms: TrialTerms?, author: Author, cause: String?
    ) async throws -> SystemInterface.Reapply.Reply {
        if live.services.awaitsMount { try await store.requireChangeable() }
        guard let terms else { return try await reapply(request.names, author: author) }
        let signature = Signature(
            id: request.id ?? RandomID.make(), hash: SettingsPlan.reapplyHash(request.names), author: author,
            comment: request.comment, cause: cause, probes: terms.probes)
        if let former = try await writer.formerAnswer(to: request.id, hash: signature.hash) {
            return await reply(former)
        }
        try requireNoTrial()
        let chosen = wholeInterfaces(try await chosen(request.names))
        let found = try await applier.reconcile(
            settings, known: try await resources.all(), .repair(Set(chosen.map(\.resource))), leaving: [],
            isComplete: reconciler.areSourcesComplete, scope: .all)
        let proposal = settings.propose(try ChangeSet([]), to: .committed)
        guard var change = found?.change, !change.isEmpty else {
            return await reply(writer.reply(.unchanged, to: signature, proposal))
        }
        // From here on their settings are applied, and reverted, like those of other interfaces.
        live.applier = applier.holding(
            applier.adapters.heldInterfaces.subtracting(
                chosen.filter(\.isHeld).compactMap { $0.setting?.parent?.name }))
        var named = signature
        named.comment = signature.comment ?? Self.comment("reapplied", chosen.map(\.name))
        change.contents = try await resources.contents(of: change)
        let answer: SettingsInterface.Set.Reply
        do {
            answer = try await writer.begin(proposal, named, window: terms.window, change)
        } catch {
            await reconciler.inspect()
            throw error
        }
        await reconciler.inspect()
        return await reply(answer)
    }

    /// Writes what the settings say to resources, even if they were edited outside.
    ///
    /// - Parameters:
    ///   - names: The names of the resources; nil for all.
    ///   - author: The caller.
    /// - Returns: The results, and the remaining drift.
    /// - Throws: `APIError` if one of them has no drift, or a change is on trial; then nothing has happened.
    private func reapply(_ names: [String]?, author: Author) async throws -> SystemInterface.Reapply.Reply {
        try requireNoTrial()
        // Settings that are held since another service ran the network are applied by their name, or on trial.
        let chosen = wholeInterfaces(try await chosen(names).filter { names != nil || !$0.isHeld })
        var results = await reconciler.reconcile(
            .repair(Set(chosen.map(\.resource))), isComplete: reconciler.areSourcesComplete, author: author.record)
        if names == nil {
            results += await reconciler.retryFailedActions()
            // A caller that requests all has seen the failures that cannot be retried.
            reconciler.forgetLost()
        }
        await reconciler.inspect()
        return SystemInterface.Reapply.Reply(results: results, drift: await described(reconciler.status.drift))
    }

    /// Adds the other held resources of each interface of which one is chosen: one alone may be of no use.
    private func wholeInterfaces(_ chosen: [Drift]) -> [Drift] {
        let interfaces = Set(chosen.filter(\.isHeld).compactMap { $0.setting?.parent })
        return chosen
            + reconciler.status.drift.filter { drift in
                drift.isHeld && drift.setting?.parent.map(interfaces.contains) == true && !chosen.contains(drift)
            }
    }

    /// Returns the history's comment for a change that is about resources.
    static func comment(_ verb: String, _ names: [String]) -> String {
        // An interface has a difference for each of its settings.
        let names = Array(Set(names)).sortedByBytes()
        return names.count > 8 ? "\(verb) \(names.count) values" : "\(verb) \(names.joined(separator: ", "))"
    }

    private func reply(_ answer: SettingsInterface.Set.Reply) async -> SystemInterface.Reapply.Reply {
        SystemInterface.Reapply.Reply(
            results: answer.results, drift: await described(reconciler.status.drift), id: answer.id,
            store: answer.store,
            generation: answer.generation, state: answer.state, window: answer.window, probes: answer.probes)
    }
}
