import CleatAPI
import CleatJSON
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Reads one page of history, newest first.
    func log(before: Int64?, limit: Int) async throws -> SettingsInterface.Log.Reply {
        do {
            let records = try await store.generations(before: before, limit: limit)
            // A page of large generations is shorter than its limit: only the oldest generation ends the history.
            let oldest = store.statistics?.oldestGeneration ?? 1
            let next = records.last.flatMap { $0.number > oldest ? $0.number : nil }
            return SettingsInterface.Log.Reply(
                store: reference.store, generations: records.map { Generation($0, in: settings) }, next: next)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Reads the generation that a change became; the reply is empty if it was never made.
    func log(id: String) async throws -> SettingsInterface.Log.Reply {
        SettingsInterface.Log.Reply(
            store: reference.store, generations: try await record(ofID: id).map { [Generation($0, in: settings)] } ?? []
        )
    }

    /// Returns the differences between two generations.
    func diff(from: Int64?, to: Int64?) async throws -> SettingsInterface.Diff.Reply {
        for number in [from, to] { if let number { try requireGeneration(number) } }
        let end = to ?? reference.generation
        let start = from ?? max(0, end - 1)
        // A secret that was written counts even if its value is the same: its equality must not be revealed.
        let differences = try await differences(from: start, to: end).filter {
            $0.old != $0.new || settings.schema.hides($0.path)
        }
        let (changes, omitted) = [ChangeRecord].records(of: differences, in: settings)
        return SettingsInterface.Diff.Reply(
            store: reference.store, from: start, to: end, changes: changes, omitted: omitted)
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
    func rollback(
        _ request: SettingsInterface.Rollback.Parameters, author: Author, cause: String?,
        caller: CallerRoute = .unknown
    ) async throws -> SettingsInterface.Set.Reply {
        try SettingsPlan.checkWords(id: request.id, comment: request.comment)
        try Self.checkWindow(request.confirm)
        let probes = try probes(request.until)
        let window = Self.window(request.confirm, probes)
        let intent = try ChangeIntent(
            check: request.check, plan: request.plan, rehearse: request.rehearse, window: window)
        let hash = intent.hash(SettingsPlan.rollbackHash(request.to))
        await takeTurn()
        defer { endTurn() }

        if let answer = try await formerAnswer(to: request.id, hash: hash) { return answer }
        if intent.writes { try requireNoTrial() }
        if let expected = request.expect { try check(expected) }
        let end = if let number = request.to { number } else { try await generationBeforeNewestChange(of: author) }
        let wanted = try await differences(from: reference.generation, to: end)
        let (known, left) = withoutUnknown(settings.underPresentNames(wanted))
        let changes = try SettingsPlan.changeSet(known.map { Change($0.path, $0.new) })
        let proposal = settings.propose(changes, rewritesSecrets: !author.isPrivileged)
        guard proposal.problems.isEmpty else { throw Self.refusal(proposal) }
        let signature = Signature(
            id: request.id ?? Self.makeID(), hash: hash, author: author,
            comment: request.comment ?? "rollback to generation \(end)", cause: cause, probes: probes)
        return try await carryOut(proposal, signature, window: window, intent, caller: caller).naming(left: left)
    }

    /// Returns the generation before the caller's own newest change.
    ///
    /// - Throws: `APIError.conflict` if others have changed something since: they are named.
    private func generationBeforeNewestChange(of author: Author) async throws -> Int64 {
        let found: NewestChange?
        do {
            found = try await store.newestChange(of: author.name)
        } catch {
            throw Self.failure(error)
        }
        guard let found, let before = found.before else {
            let reason =
                reference.generation == 0
                ? "nothing was ever committed"
                : "the history has no change in force of which it knows what was before; name a generation of 'cleat log'"
            throw APIError.unknownGeneration(
                generation: reference.generation, message: "there is nothing to go back to: \(reason)")
        }
        guard let newest = found.later.first else { return before }
        let named =
            found.later.prefix(8).map { "\($0.number) of \($0.author)" }.joined(separator: ", ")
            + (found.later.count > 8 ? " and \(found.later.count - 8) more" : "")
        let whose =
            found.number.map { "generation \($0) is your newest change, and others came after it (\(named))" }
            ?? "the newest change is not yours (\(named))"
        throw APIError.conflict(
            reference,
            message: "\(whose); see 'cleat log', then name the generation to go back to: "
                + "\(newest.number - 1) undoes the newest change only"
                + (found.number == nil ? "" : ", \(before) undoes yours with all that came after it"))
    }

    /// Throws if no generation has the number, before anything is computed with it.
    private func requireGeneration(_ number: Int64) throws(APIError) {
        guard (0...reference.generation).contains(number) else {
            throw APIError.unknownGeneration(
                generation: number,
                message: "there is no generation \(number); the last one is \(reference.generation), see 'cleat log'")
        }
    }

    private func differences(from start: Int64, to end: Int64) async throws -> [SettingDifference] {
        for number in [start, end] { try requireGeneration(number) }
        do {
            return try await store.differences(from: start, to: end, keepsSame: true)
        } catch {
            if error.code == .historyGone {
                throw APIError.unknownGeneration(generation: min(start, end), message: error.description)
            }
            throw Self.failure(error)
        }
    }
}
