import CleatAPI
import CleatAdapters
import CleatJSON
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// The approximate maximum size in bytes of the differences in one reply, and of a whole plan: the changes need the
    /// rest.
    private static let differenceBytes = 160 * 1_024
    private static let planBytes = 224 * 1_024

    /// Makes, checks, plans or rehearses a change, as its caller wants.
    ///
    /// - Parameters:
    ///   - proposal: The change, which the schema accepts.
    ///   - signature: The data that it is recorded with.
    ///   - window: The confirm window in milliseconds; nil if it is not on trial.
    ///   - intent: The caller's intent.
    ///   - caller: The route by which the caller reaches the board, for a plan.
    ///   - contents: The contents of documents that came with it.
    /// - Returns: The outcome.
    /// - Throws: `APIError`; then nothing has changed, or everything is undone.
    func carryOut(
        _ proposal: SettingsProposal, _ signature: Signature, window: Int64?, _ intent: ChangeIntent,
        caller: CallerRoute, contents: DocumentContents = [:]
    ) async throws -> SettingsInterface.Set.Reply {
        try requireRight(to: proposal, of: signature.author)
        let change = try await planned(proposal, contents: contents, for: signature.author)
        switch intent {
        case .make: return try await make(proposal, signature, window: window, change)
        case .check:
            _ = try await captured(change)
            return reply(.checked, to: signature, proposal)
        case .plan:
            var answer = reply(proposal.isEmpty ? .unchanged : .checked, to: signature, proposal)
            answer.results = []
            answer.plan = try await plan(proposal, change, caller)
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
        let origins = proposal.differences.isEmpty ? [:] : try await origins(for: change)
        let found = try await follower.plan(change, from: settings, to: proposal.settings, origins: origins)
        guard found.problems.isEmpty else { throw Self.refusal(found.problems, count: found.problems.count) }
        let differences = proposal.differences + proposal.volatileDifferences
        var plan = ChangePlan(
            actions: found.actions.map { CleatAPI.PlannedAction($0) }, links: change.links,
            notes: AdapterResult.results(
                for: differences, isVolatile: proposal.differences.isEmpty, by: follower, done: [], notes: change.notes
            ).filter { $0.state == .notApplied }.map(\.message))
        plan.notes += found.effects
        (plan.connection, plan.reason) = caller.outlook(
            on: plan.links, from: settings, after: proposal.settings)
        plan.reach = caller.reach(touching: differences.map(\.path), after: proposal.settings)
        plan.fill(
            found.steps.filter { !$0.isNoNews }.map { CleatAPI.PlannedStep($0) },
            differenceBytes: Self.differenceBytes, bytes: Self.planBytes)
        return plan
    }

    /// Captures the state of all resources that a change touches.
    ///
    /// - Throws: `APIError` that names the setting of a resource that could not be restored, and so must not be
    ///   changed.
    func captured(_ change: SystemChange) async throws -> [Memento] {
        do {
            return try await follower.capture(change)
        } catch let error as ResourceError {
            guard let step = change.parts.flatMap(\.steps).first(where: { $0.resource == error.resource }) else {
                throw APIError.storeFailed(code: "capture", message: "\(error)")
            }
            let problem = SettingProblem(
                path: step.path, value: nil, code: .system, reason: "cannot be followed: \(error)")
            throw Self.refusal([problem], count: 1)
        }
    }

    /// Returns the states before Cleat first touched them, of all resources that a change releases.
    func origins(for change: SystemChange) async throws -> [Resource: Memento] {
        var origins: [Resource: Memento] = [:]
        for step in change.parts.flatMap(\.steps) where step.needsOrigin {
            guard let stored = try await store.origin(of: step.resource.text) else { continue }
            origins[step.resource] = try Memento(encoded: stored.state)
        }
        return origins
    }
}

extension ChangePlan {
    /// Adds steps as far as they fit into a reply: differences are omitted first.
    mutating func fill(_ found: [CleatAPI.PlannedStep], differenceBytes: Int, bytes: Int) {
        var used = actions.reduce(0) { $0 + JSONValue.object($1.wire).weight }
        for (index, step) in found.enumerated() {
            var step = step
            var weight = JSONValue.object(step.wire).weight
            if step.diff != nil, used + weight > differenceBytes {
                step.diff = nil
                let text = "the difference is left out: it is too much for one answer"
                step.note = step.note.map { "\($0); \(text)" } ?? text
                weight = JSONValue.object(step.wire).weight
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
        return Set(names).sorted()
    }
}

extension CleatAdapters.PlannedStep {
    /// True if the step is about a line that is only updated if it is present, and it is not.
    fileprivate var isNoNews: Bool {
        if case .line = resource { action == .skipped } else { false }
    }
}

extension CleatAPI.PlannedStep {
    /// Creates the step in its wire format.
    init(_ step: CleatAdapters.PlannedStep) {
        self.init(
            adapter: step.adapter, kind: step.resource.kind, resource: step.resource.description,
            action: Action(rawValue: step.action.rawValue) ?? .change, before: step.before, after: step.after,
            diff: step.difference, note: step.note)
    }
}

extension CleatAPI.PlannedAction {
    /// Creates the action in its wire format.
    init(_ action: CleatAdapters.PlannedAction) {
        self.init(
            adapter: action.adapter, kind: Kind(rawValue: action.kind.rawValue) ?? .command, title: action.title,
            service: action.service, program: action.program, note: action.note)
    }
}
