import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore

extension SettingsWriter {
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
        var change = applier.change(
            from: settings, to: proposal.settings, at: differences.map(\.path), rewriting: rewritten.map(\.path))
        change.contents = try await resources.contents(of: change, besides: contents)
        let unfollowed = differences.compactMap { difference -> SettingProblem? in
            guard difference.new != nil, let reason = applier.adapters.reasonNotToFollow(difference.path) else {
                return nil
            }
            return SettingProblem(path: difference.path, value: nil, code: .system, reason: reason)
        }
        guard unfollowed.isEmpty else { throw APIError(refusing: unfollowed) }
        let known: [Resource: KnownResource]
        do {
            known = change.resources.isEmpty ? [:] : try await resources.all()
        } catch let error as StoreError {
            throw APIError(error)
        }
        let found = try await applier.examine(
            change, to: proposal.settings, origins: resources.origins(for: change), known: known)
        let problems =
            found.problems + found.edited.compactMap { Self.problem(of: $0, in: change, leaving: adopted) }
            + Self.missingContents(of: change, proposal)
        guard problems.isEmpty else { throw APIError(refusing: problems) }
        let refused = await applier.refusals(of: change, at: differences.map(\.path))
        guard refused.problems.isEmpty else { throw APIError(refusing: refused.problems) }
        change.notes += refused.notes
        // This is reported, and not refused: kernel values change by themselves, too, and are adopted by being set.
        change.notes += found.overwritten.filter { !adopted.contains($0.resource) }.map {
            "This change overwrites what another program has set: \($0.sentence)."
        }
        return change
    }

    /// Returns the problem of a change that would overwrite an outside edit; nil if the change adopts it.
    private static func problem(
        of drift: Drift, in change: SystemChange, leaving adopted: Set<Resource>
    ) -> SettingProblem? {
        guard !adopted.contains(drift.resource),
            let step = change.parts.flatMap(\.steps).first(where: { $0.resource == drift.resource })
        else { return nil }
        return SettingProblem(
            path: step.path, value: nil, code: .system,
            reason: "would overwrite \(drift.resource), which was edited outside Cleat. Keep the edit: cleat adopt "
                + "\(drift.name). Discard it: cleat reapply \(drift.name)")
    }

    /// The approximate maximum size in bytes of the differences in one reply, and of a whole plan: the changes need the
    /// rest.
    private static let differenceBytes = 160 * 1_024
    private static let planBytes = 224 * 1_024

    /// Makes, checks, plans or rehearses a change, as its caller wants.
    ///
    /// - Parameters:
    ///   - proposal: The change.
    ///   - order: The data that it is made with.
    ///   - contents: The contents of documents that came with it.
    /// - Returns: The outcome.
    /// - Throws: `APIError`; then nothing has changed, or everything is reverted.
    func execute(
        _ proposal: SettingsProposal, _ order: ChangeOrder, contents: DocumentContents = [:]
    ) async throws -> SettingsInterface.Set.Reply {
        guard proposal.problems.isEmpty else { throw APIError(refusing: proposal) }
        try requireRight(to: proposal, of: order.author)
        let signature = order.signature
        let change = try await planned(proposal, contents: contents, for: order.author)
        switch order.intent {
        case .make: return try await make(proposal, signature, window: order.terms.window, change)
        case .check:
            _ = try await applier.captured(change)
            return reply(.checked, to: signature, proposal)
        case .plan:
            var answer = reply(proposal.isEmpty ? .unchanged : .checked, to: signature, proposal)
            answer.results = []
            answer.plan = try await plan(proposal, change, order.caller)
            return answer
        case .rehearse: return try await rehearse(proposal, signature, change)
        }
    }

    /// Describes the effects of a change.
    ///
    /// - Throws: `APIError` with the resources that could not be captured, and so could not be changed.
    private func plan(
        _ proposal: SettingsProposal, _ change: SystemChange, _ caller: CallerRoute
    ) async throws -> ChangePlan {
        let origins = proposal.differences.isEmpty ? [:] : try await resources.origins(for: change)
        let found = try await applier.plan(change, from: settings, to: proposal.settings, origins: origins)
        guard found.problems.isEmpty else { throw APIError(refusing: found.problems) }
        let differences = proposal.differences + proposal.volatileDifferences
        var plan = ChangePlan(
            actions: found.actions, links: change.links,
            notes: AdapterResult.results(
                for: differences, isVolatile: proposal.differences.isEmpty, by: applier, done: [], notes: change.notes
            ).filter { $0.state == .notApplied }.map(\.message))
        plan.notes += found.effects
        (plan.connection, plan.reason) = caller.outlook(
            on: plan.links, from: settings, after: proposal.settings)
        // Only a caller with a connection can be kept out by it.
        if caller.address != nil, let file = guardedFile(of: change, found.steps) {
            plan.isGuarded = true
            if plan.connection == .kept {
                plan.connection = .unknown
                plan.reason = "\(file) changes, which may keep you from connecting again"
            }
        }
        plan.reach = caller.reach(touching: differences.map(\.path), after: proposal.settings)
        plan.fill(
            found.steps.filter { !$0.isAbsentLine },
            differenceBytes: Self.differenceBytes, bytes: Self.planBytes)
        return plan
    }

    /// Returns the first file that changes and may keep clients from connecting; nil if there is none.
    private func guardedFile(of change: SystemChange, _ steps: [PlannedStep]) -> String? {
        for part in change.parts {
            guard let adapter = applier.adapters[part.adapter] as? any DisconnectingAdapter else { continue }
            for resource in part.steps.map(\.resource) where adapter.mayDisconnect(resource) {
                let name = "\(resource)"
                if steps.contains(where: { $0.resource == name && $0.action != .unchanged && $0.action != .skipped }) {
                    return name
                }
            }
        }
        return nil
    }

    /// Returns the reasons why a change cannot write documents: a content is missing, or the documents are volatile.
    static func missingContents(of change: SystemChange, _ proposal: SettingsProposal) -> [SettingProblem] {
        func problem(_ path: SettingPath, _ reason: String) -> SettingProblem {
            SettingProblem(path: path, value: nil, code: .system, reason: reason)
        }
        let volatile = proposal.volatileDifferences.map(\.path).filter { DocumentsAdapter.path.isPrefix(of: $0) }
        var problems = volatile.map {
            problem($0, "is a file, which outlasts the next boot; omit --volatile")
        }
        for (hash, step) in change.documents where change.contents[hash] == nil {
            problems.append(
                problem(
                    step.path,
                    "names a content that is not on the board, or not any more; include the file, with 'cleat apply "
                        + "--file \(step.path.name)=FILE'"))
        }
        return problems
    }
}

extension ChangePlan {
    /// Adds steps as far as they fit into a reply: differences are omitted first.
    mutating func fill(_ found: [PlannedStep], differenceBytes: Int, bytes: Int) {
        var used = actions.reduce(0) { $0 + $1.encoded.bytes.count }
        for (index, step) in found.enumerated() {
            var step = step
            var weight = step.encoded.bytes.count
            if step.diff != nil, used + weight > differenceBytes {
                step.diff = nil
                let text = "the difference is omitted: it exceeds the size of one reply"
                step.note = step.note.map { "\($0); \(text)" } ?? text
                weight = step.encoded.bytes.count
            }
            used += weight
            guard used <= bytes else {
                omitted = found.count - index
                return
            }
            steps.append(step)
        }
    }
}

extension SystemChange {
    /// The network interfaces whose settings change the system, sorted.
    fileprivate var links: [String] {
        let names = parts.flatMap(\.steps).compactMap { step -> String? in
            let names = step.path.segments
            return names.count > 2 && names[0] == "network" && names[1] == "interfaces" ? names[2] : nil
        }
        return Array(Set(names)).sortedByBytes()
    }
}

extension PlannedStep {
    /// True if the step is about a line that is only updated if it is present, and it is not.
    fileprivate var isAbsentLine: Bool { (kind == "line" || kind == "stanza") && action == .skipped }
}
