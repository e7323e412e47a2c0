import CleatAPI
package import CleatAdapters
import CleatIO
import CleatJSON
import CleatObservers
package import CleatSettings
import CleatStore

extension SettingsEngine {
    /// The data that one transaction is recorded with.
    struct Signature {
        let id: String
        let hash: String
        let author: Author
        var comment: String?
        /// The hooks that caused the change; nil if none did.
        let cause: String?
        /// The probes that confirm it, if it is on trial until they hold.
        var probes: [Probe] = []
    }

    /// Applies a change set to the store, or to the volatile layer, as a whole or not at all.
    ///
    /// - Parameters:
    ///   - request: The changes, with the caller's id and expectation.
    ///   - author: The caller.
    ///   - cause: The hooks that caused the change; nil if none did.
    ///   - caller: The route by which the caller reaches the board, for a plan.
    ///   - uploads: The contents of the documents that it names, as far as they were uploaded for it.
    /// - Returns: The outcome of the changes.
    /// - Throws: `APIError`; then nothing has changed.
    func set(
        _ request: SettingsInterface.Set.Parameters, author: Author, cause: String?, caller: CallerRoute = .unknown,
        uploads: UploadedContents = UploadedContents()
    ) async throws -> SettingsInterface.Set.Reply {
        let plan = try SettingsPlan(request)
        try Self.checkWindow(request.confirm, layer: plan.layer)
        let probes = try probes(request.until, layer: plan.layer)
        let window = Self.window(request.confirm, probes)
        let intent = try ChangeIntent(
            check: request.check, plan: request.plan, rehearse: request.rehearse, window: window)
        // An id belongs to its user: otherwise it would reveal that others have set the same values.
        let hash = SettingsPlan.hash(intent.hash(plan.hash), by: author)
        await takeTurn()
        defer { endTurn() }

        if let answer = try await formerAnswer(to: request.id, hash: hash) { return answer }
        if intent.writes { try requireNoTrial() }
        if let expected = request.expect { try check(expected) }

        try requireRight(toEdit: plan.edits, of: author)
        let contents = try uploads.contents(for: plan.changes)
        let (changes, problems) = try plan.changes(on: settings)
        let proposal = settings.propose(
            changes, to: plan.layer, besides: problems, rewritesSecrets: !author.isPrivileged)
        guard proposal.problems.isEmpty else { throw Self.refusal(proposal) }
        let signature = Signature(
            id: request.id ?? Self.makeID(), hash: hash, author: author, comment: request.comment, cause: cause,
            probes: probes)
        return try await carryOut(
            proposal, signature, window: window, intent, caller: caller, contents: contents)
    }

    /// Removes all committed or volatile values under a prefix.
    ///
    /// - Returns: The outcome.
    /// - Throws: `APIError`; then nothing has changed.
    func reset(
        _ request: SettingsInterface.Reset.Parameters, author: Author, cause: String?, caller: CallerRoute = .unknown
    ) async throws -> SettingsInterface.Set.Reply {
        try SettingsPlan.checkWords(id: request.id, comment: request.comment)
        try Self.checkWindow(request.confirm)
        let probes = try probes(request.until)
        let window = Self.window(request.confirm, probes)
        let intent = try ChangeIntent(check: nil, plan: request.plan, rehearse: request.rehearse, window: window)
        let prefix = try request.prefix.map(Self.path)
        let hash = intent.hash(SettingsPlan.resetHash(prefix))
        await takeTurn()
        defer { endTurn() }

        if let answer = try await formerAnswer(to: request.id, hash: hash) { return answer }
        if intent.writes { try requireNoTrial() }
        if let expected = request.expect { try check(expected) }
        if let prefix, settings.schema.lookup(prefix) == nil, !settings.holdsRows(at: prefix) { throw unknown(prefix) }

        let proposal = settings.proposeReset(under: prefix)
        guard proposal.problems.isEmpty else { throw Self.refusal(proposal) }
        let signature = Signature(
            id: request.id ?? Self.makeID(), hash: hash, author: author, comment: request.comment, cause: cause,
            probes: probes)
        return try await carryOut(proposal, signature, window: window, intent, caller: caller)
    }

    /// Applies other contents of the board's files; watchers are notified of the effects, and events are emitted.
    ///
    /// - Parameters:
    ///   - sources: The present contents of the board's files.
    ///   - adapters: The adapters of the schemas in force.
    ///   - isComplete: True if all files could be read; otherwise resources that no setting claims any more stay.
    package func follow(_ sources: SettingsSources, adapters: [any Adapter], isComplete: Bool) async {
        await takeTurn()
        defer { endTurn() }
        follower = follower.following(adapters, loop: loop)
        let after = settings.following(sources)
        let effects = await SettingsEffects.between(settings, after, on: loop)
        settings = after
        sourcesRevision += 1
        await reconcile(.restart, isComplete: isComplete)
        _ = await takeUpLeftovers()
        await tell(effects, author: "cleatd", cause: nil)
    }

    // MARK: Writing

    /// Refuses a change by a user who may not make it, by any caller: of the agent's own settings, which decide what is
    /// logged and recorded of that user's actions, and of settings that an adapter reserves for root.
    ///
    /// - Throws: `APIError.permissionDenied` with the first such path.
    func requireRight(to proposal: SettingsProposal, of author: Author) throws(APIError) {
        guard !author.isPrivileged else { return }
        for path in (proposal.differences + proposal.volatileDifferences).map(\.path) {
            if path.segments.first == Access.ownGroup {
                throw .permissionDenied(
                    message:
                        "\(author.name) may not change \(path): only root and the service's own user change settings "
                        + "of the agent itself")
            }
            if !follower.adapters.adapters.allSatisfy({ !$0.follows(path) || $0.isForOperators(path) }) {
                throw .permissionDenied(
                    message:
                        "\(author.name) may not change \(path): only root and the service's own user change kernel "
                        + "parameters other than those of network, memory and reports")
            }
        }
    }

    /// Refuses to add something to a list of secrets, or to remove it, by a user who may not read it: the reply would
    /// reveal what it contains.
    ///
    /// - Throws: `APIError.permissionDenied` with the first such list.
    private func requireRight(toEdit edits: [ListEdit], of author: Author) throws(APIError) {
        guard !author.isPrivileged, let edit = edits.first(where: { settings.schema.hides($0.path) }) else { return }
        throw .permissionDenied(
            message:
                "\(author.name) may not add to \(edit.path) or remove from it, because that would tell what the secret list "
                + "holds; set the whole list, or ask root")
    }

    func make(
        _ proposal: SettingsProposal, _ signature: Signature, window: Int64?, _ change: SystemChange,
        bringing: [Memento] = []
    ) async throws -> SettingsInterface.Set.Reply {
        guard !proposal.isEmpty || !bringing.isEmpty else { return reply(.unchanged, to: signature, proposal) }
        if window != nil, !proposal.volatileDifferences.isEmpty { try Self.checkWindow(window, layer: .volatile) }
        let former = volatileState
        if !proposal.volatileDifferences.isEmpty {
            var next = former
            next.rename(settings.renamedVolatile)
            next.apply(
                proposal.volatileDifferences, settings: proposal.settings.volatile,
                origin: VolatileOrigin(
                    author: signature.author.name, time: WallTime.now().description, comment: signature.comment),
                transaction: VolatileTransaction(
                    id: signature.id, hash: signature.hash, generation: reference.generation,
                    changes: proposal.volatileDifferences))
            // The former state of the system must outlast the service, as the values do.
            if !change.isEmpty { try await requireChangeable() }
            try await save(next)
            volatileState = next
        }
        var results: [CleatAPI.AdapterResult]?
        do {
            if !bringing.isEmpty || !proposal.differences.isEmpty && (window != nil || !change.isEmpty) {
                return try await begin(proposal, signature, window: window, change, bringing: bringing)
            }
            if !proposal.differences.isEmpty { reference = try await commit(proposal.differences, signature) }
            if !change.isEmpty { results = try await follow(change, to: proposal.settings) }
        } catch {
            volatileState = former
            // If this fails too, the volatile values are lost with the service; until then memory still has them. The
            // caller may have disconnected, which must not leave the refused values to the next start.
            if !proposal.volatileDifferences.isEmpty {
                _ = await loop.task(name: "volatile") { try await self.save(former) }.result
            }
            throw error
        }
        let effects = SettingsEffects(
            of: proposal.differences, volatile: proposal.volatileDifferences, before: settings, after: proposal.settings
        )
        settings = proposal.settings
        let answer = reply(.confirmed, to: signature, proposal, results: results ?? [], notes: change.notes)
        journal.note(
            .commit, generation: reference.generation, id: signature.id, author: signature.author.name,
            paths: (proposal.differences + proposal.volatileDifferences).map(\.path.text),
            result: (proposal.volatileDifferences.isEmpty ? "stored" : "until the next boot")
                + (results?.words.map { "; \($0)" } ?? ""))
        await tell(effects, author: signature.author.name, cause: signature.cause)
        return answer
    }

    /// Returns the changes of the system for a proposal, if the system can follow it.
    ///
    /// - Parameters:
    ///   - proposal: The change.
    ///   - adopted: Resources whose outside edits the change adopts.
    ///   - contents: The contents of documents that came with it.
    ///   - author: The caller.
    /// - Returns: The touched resources, and the actions after that.
    /// - Throws: `APIError` with all obstacles.
    func planned(
        _ proposal: SettingsProposal, adopting adopted: Set<Resource> = [], contents: DocumentContents = [:],
        for author: Author
    ) async throws -> SystemChange {
        let differences = proposal.differences + proposal.volatileDifferences
        // All derived contents are rewritten, whether a secret is right or wrong, for a caller who may not read it.
        let rewritten = differences.filter {
            $0.isRewritten || !author.isPrivileged && settings.schema.hides($0.path)
        }
        var change = follower.change(
            from: settings, to: proposal.settings, at: differences.map(\.path), rewriting: rewritten.map(\.path))
        change.contents = try await self.contents(of: change, besides: contents)
        let unfollowed = differences.compactMap { difference -> SettingProblem? in
            guard difference.new != nil, let reason = follower.adapters.reasonNotToFollow(difference.path) else {
                return nil
            }
            return SettingProblem(path: difference.path, value: nil, code: .system, reason: reason)
        }
        guard unfollowed.isEmpty else { throw Self.refusal(unfollowed, count: unfollowed.count) }
        let problems =
            try await follower.problems(proposal.settings, change, origins: origins(for: change))
            + outsideChanges(change, leaving: adopted)
            + Self.missingContents(of: change, proposal)
        guard problems.isEmpty else { throw Self.refusal(problems, count: problems.count) }
        change.notes += try await overwritten(by: change, leaving: adopted)
        return change
    }

    /// The stored settings of Cleat's own that no adapter on this board can follow, with the reasons.
    var unfollowedSettings: [(path: SettingPath, reason: String)] { follower.adapters.unfollowed(settings) }

    /// Throws if the store is a copy in memory, in which case the system must not be changed.
    func requireChangeable() async throws {
        do {
            try await store.requireChangeable()
        } catch {
            throw Self.failure(error)
        }
    }

    func save(_ state: VolatileState) async throws {
        do {
            try await volatileFile.save(state)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw APIError.storeFailed(code: "volatile", message: "\(error); nothing was changed")
        }
    }

    private func commit(_ differences: [SettingDifference], _ signature: Signature) async throws -> GenerationRef {
        do throws(StoreError) {
            let outcome = try await store.commit(
                CommitRequest(
                    changes: differences, id: signature.id, hash: signature.hash, expect: reference,
                    author: signature.author.name, comment: signature.comment, stamp: .now(bootID: bootID)))
            switch outcome {
            case .committed(let generation, _), .unchanged(let generation):
                storeFailure = nil
                return generation
            case .repeated(let record):
                return GenerationRef(store: reference.store, generation: record.number)
            }
        } catch {
            note(storeFailure: error)
            throw Self.failure(error)
        }
    }

    /// Remembers a failure of the storage for `doctor`; errors about a request alone are for the caller.
    func note(storeFailure error: StoreError) {
        switch error.code {
        case .diskFull, .readOnly, .accessDenied, .tooManyFiles, .inputOutput, .outOfMemory, .corrupt, .damaged:
            storeFailure = error.description.withoutFullStop
        default: break
        }
    }

    func tell(_ effects: SettingsEffects, author: String, cause: String?) async {
        if !effects.isEmpty { for watcher in watchers.values { watcher.note(effects.touched) } }
        onCommit(settings)
        for (index, difference) in effects.differences.enumerated() {
            // Other tasks can run while a large commit is published; the next commit does not start meanwhile.
            if index % Self.eventsPerTurn == Self.eventsPerTurn - 1 { await loop.yield() }
            bus.publish(
                EventDraft(
                    source: .setting, action: difference.new == nil ? "unset" : "set", subject: difference.path.text,
                    properties: .setting(difference, generation: reference.generation, author: author, in: settings),
                    cause: cause))
        }
    }

    // MARK: Answering

    /// Returns the reply to a transaction that was made before under the same id.
    func formerAnswer(to id: String?, hash: String) async throws -> SettingsInterface.Set.Reply? {
        guard let id else { return nil }
        let committed = try await record(ofID: id)
        let volatile = volatileState.transactions.last { $0.id == id }
        if let committed, committed.hash != hash { throw Self.reused(id, generation: committed.number) }
        if let volatile, volatile.hash != hash { throw Self.reused(id, generation: volatile.generation) }
        guard let generation = committed?.number ?? volatile?.generation else { return nil }
        let state: CommitState =
            switch committed?.state {
            case GenerationRecord.pending: .pending
            case GenerationRecord.reverted: .reverted
            default: .repeated
            }
        var answer = reply(
            state, id: id, generation: generation,
            differences: Self.joined(committed?.changes ?? [], volatile?.changes ?? []),
            omitted: volatile?.omitted ?? 0, isVolatile: committed == nil)
        if state == .repeated { answer.overtaken = await overtaking(id, committed, volatile) }
        if state == .pending {
            answer.window = transaction?.window
            answer.probes = transaction?.probes?.reports
        }
        return answer
    }

    /// Returns a note on a change that was made under an id and of which something was changed since; nil if nothing
    /// was: a caller that repeats it would take it for applied.
    private func overtaking(
        _ id: String, _ committed: GenerationRecord?, _ volatile: VolatileTransaction?
    ) async -> String? {
        let rows = committed?.state == GenerationRecord.confirmed ? committed?.changes ?? [] : []
        let names = settings.underPresentNames(rows)
        let lost =
            names.first { settings[.committed][$0.path] != $0.new }
            ?? volatile?.changes.first { settings[.volatile][$0.path] != $0.new }
        guard let lost else { return nil }
        let made =
            committed.map { "was made as generation \($0.number) of \($0.author)" } ?? "was made until the next boot"
        let row = committed == nil ? nil : try? await store.setting(at: settings.storedPath(of: lost.path))
        let since = row.map { " by generation \($0.generation)" + ($0.author.map { " of \($0)" } ?? "") } ?? ""
        return
            "change \(id) \(made), and \(lost.path) was changed since\(since); to make it again take another id, or none"
    }

    func record(ofID id: String) async throws -> GenerationRecord? {
        do {
            return try await store.record(id: id)
        } catch {
            throw Self.failure(error)
        }
    }

    func reply(
        _ state: CommitState, to signature: Signature, _ proposal: SettingsProposal,
        results: [CleatAPI.AdapterResult] = [], notes: [String] = []
    ) -> SettingsInterface.Set.Reply {
        reply(
            state, id: signature.id, generation: reference.generation,
            differences: Self.joined(proposal.differences, proposal.volatileDifferences),
            isVolatile: proposal.differences.isEmpty && !proposal.volatileDifferences.isEmpty,
            holding: proposal.settings, results: results, notes: notes)
    }

    /// Returns the changes of both layers, sorted; a path in both is listed once, as it was committed.
    private static func joined(
        _ committed: [SettingDifference], _ volatile: [SettingDifference]
    ) -> [SettingDifference] {
        if volatile.isEmpty { return committed }
        let paths = Set(committed.map(\.path))
        return (committed + volatile.filter { !paths.contains($0.path) }).sorted { $0.path < $1.path }
    }

    private func reply(
        _ state: CommitState, id: String, generation: Int64, differences: [SettingDifference], omitted: Int = 0,
        isVolatile: Bool, holding after: LayeredSettings? = nil, results: [CleatAPI.AdapterResult] = [],
        notes: [String] = []
    ) -> SettingsInterface.Set.Reply {
        // From here on the commit is done: the reply has to fit into a message.
        let (changes, left) = [ChangeRecord].records(
            of: differences, in: settings, holding: after, layer: isVolatile ? .volatile : .committed)
        let omitted = omitted + (left ?? 0)
        return SettingsInterface.Set.Reply(
            id: id, store: reference.store, generation: generation, state: state, changes: changes,
            results: state == .checked
                ? []
                : AdapterResult.results(
                    for: differences, isVolatile: isVolatile, by: follower, done: results, notes: notes),
            omitted: omitted > 0 ? omitted : nil, volatile: isVolatile ? true : nil)
    }

    /// The number of events of one commit that are published before other tasks can run.
    private static let eventsPerTurn = 64
}
