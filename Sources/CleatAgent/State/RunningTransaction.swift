import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

/// The change that is being applied to the system, or on trial, with one payload for each of its phases.
struct RunningTransaction {
    /// The state machine of the change.
    var machine: TransactionMachine
    /// The data that names it.
    let identity: Identity
    /// The plan: what it changes in the settings and in the system.
    var plan: Plan
    /// The changes of the store's rows.
    var changes: [SettingDifference] {
        didSet { paths = Set(changes.map(\.path)) }
    }
    /// The paths that it changes.
    private(set) var paths: Set<SettingPath>
    /// The payload from the moment that it is armed; nil before.
    var armed: Armed?
    /// The payload from the moment that it is applied.
    var applied = Applied()
    /// The confirm window, and the probes that end it.
    var trial: ConfirmWindow
    /// The payload of its revert.
    var revert = Revert()
    /// The reason why the last action failed.
    var failure: APIError?

    /// The data that names a change.
    struct Identity: Sendable {
        /// The id that confirms it.
        let id: String
        /// The user who made it.
        let owner: String
        /// The author's comment.
        let comment: String?
        /// The hooks that caused it.
        let cause: String?
        /// The time at which it was armed.
        let began: CommitStamp
    }

    /// The plan of a change.
    struct Plan: Sendable {
        /// The request to the store; nil if another run of the service has made it.
        var request: CommitRequest?
        /// The changes of the system.
        var change = SystemChange()
        /// The states that a snapshot has for other resources, which are restored after the adapters.
        var restoring: [Memento] = []
        /// The settings before it.
        let before: LayeredSettings
        /// The settings with the change; nil once they are in force.
        var after: LayeredSettings?
        /// The revision of the board's files by which it is applied; nil if another run of the service has applied it.
        var sourcesRevision: Int?
    }

    /// The payload of a change that is armed.
    struct Armed: Sendable {
        /// The generation that is on trial.
        let generation: GenerationRef
        /// The former states of the touched resources, in the order in which they are applied.
        var mementos: [Memento] = []
        /// The results for missing interfaces, which are not touched.
        var absent: [AdapterResult] = []
        /// The states before Cleat first touched them, of the resources that are released.
        var origins: [Resource: Memento] = [:]
        /// The resources that cannot be restored any more, since their former state cannot be read.
        var lost: [AdapterResult] = []
    }

    /// The payload of a change that is applied.
    struct Applied: Sendable {
        /// The results of the adapters.
        var results: [AdapterResult] = []
        /// The states of the touched resources afterwards.
        var fingerprints: [StoredFingerprint] = []
    }

    /// The confirm window of a change on trial.
    struct ConfirmWindow: Sendable {
        /// Its length in milliseconds, from the moment that the change is applied; nil if it is not on trial.
        var length: Int64?
        /// The instant at which it ends.
        var deadline: BootTime?
        /// The probes that confirm the change when they hold; nil if only a caller confirms it.
        var probes: ProbeWatch?
        /// True from the moment that the probes are to be checked.
        var isProbing = false
        /// The note for the history with the probes that have confirmed it; nil if a caller did.
        var note: GenerationNote?
    }

    /// The payload of a change that is reverted.
    struct Revert: Sendable {
        /// The reason why it is reverted.
        var reason = ""
        /// The user who reverts it.
        var author = "cleatd"
        /// The results of the last attempt; nil before the first one.
        var results: [AdapterResult]?
        /// The failures of the last attempt.
        var failures: [String] = []
        /// The failed actions, which do not block its end.
        var failedActions: [FailedAction] = []
        /// The actions that were run.
        var actions: [AdapterAction] = []
        /// The states of programs that are still to be restored; nil if all resources are.
        var left: Set<Resource>?
        /// The number of failed attempts.
        var attempts = 0
        /// The instant of the next attempt; nil if only a caller retries it.
        var retryAt: BootTime?
        /// True if its values are no longer in force, though it has not ended yet.
        var isRecorded = false
    }

    /// Creates a change.
    init(
        _ machine: TransactionMachine, _ identity: Identity, _ plan: Plan, changes: [SettingDifference],
        window: Int64? = nil
    ) {
        self.machine = machine
        self.identity = identity
        self.plan = plan
        self.changes = changes
        paths = Set(changes.map(\.path))
        trial = ConfirmWindow(length: window)
    }

    /// The id that confirms it.
    var id: String { identity.id }
    /// The user who made it.
    var owner: String { identity.owner }
    /// The generation that is on trial, once it is armed.
    var generation: GenerationRef? { armed?.generation }
    /// The former states of the touched resources.
    var mementos: [Memento] { armed?.mementos ?? [] }
    /// The latest results of the adapters.
    var results: [AdapterResult] { revert.results ?? applied.results }
    /// The resources that it touches.
    var touched: [Resource] { plan.change.resources + mementos.map(\.resource) }

    /// The phase, in its wire format.
    var phase: Trial.Phase {
        switch machine.state {
        case .prepared, .refused: .armed
        case .applying, .probing: .applying
        case .awaitingConfirm, .confirming, .confirmed: .awaitingConfirm
        case .reverting, .reverted: .reverting
        case .revertFailed: .revertFailed
        }
    }

    /// Returns the remaining time in milliseconds at an instant; nil if it is not waiting.
    func remaining(_ now: BootTime) -> Int64? {
        guard machine.state == .awaitingConfirm, let deadline = trial.deadline else { return nil }
        return max(0, deadline.duration(since: now).milliseconds)
    }

    /// Returns the summary at an instant, for callers whose change is refused.
    func notice(_ now: BootTime) -> TrialSummary {
        TrialSummary(
            id: id, owner: owner, generation: generation?.generation ?? 0, phase: phase, remaining: remaining(now),
            failures: revert.failures.isEmpty ? nil : revert.failures)
    }

    /// Returns the error for another change at an instant.
    func refusal(_ now: BootTime) -> APIError {
        let fact =
            switch machine.state {
            case .revertFailed: "could not be reverted (\(revert.failures.joined(separator: "; ")))"
            case .awaitingConfirm:
                "is on trial for another \(DurationText.text(milliseconds: (remaining(now) ?? 0) / 1000 * 1000))"
            default: "is being made or reverted"
            }
        let verbs =
            machine.state == .revertFailed
            ? "'cleat abort \(id)' tries again to revert it"
            : "'cleat confirm \(id)' keeps it, 'cleat abort \(id)' reverts it"
        return .transactionPending(
            notice(now),
            message: "change \(id) of \(owner) \(fact); other changes are refused until it ends; \(verbs)")
    }

    /// The error for a caller who waits for the end of a change that could not be reverted.
    ///
    /// - Parameters:
    ///   - generation: The generation in force.
    ///   - fact: The beginning of the message; nil for the reason of the revert.
    /// - Returns: The error.
    func notReverted(_ generation: GenerationRef, _ fact: String? = nil) -> APIError {
        let fact = fact ?? "\(revert.reason.withoutFullStop). Not all could be reverted"
        return .notReverted(
            id: id, generation: generation.generation, results: results,
            message: "\(fact): \(revert.failures.joined(separator: "; "))")
    }

    /// Describes the change on trial at an instant, in its wire format; nil if it is not armed.
    func described(in settings: LayeredSettings, _ now: BootTime) -> Trial? {
        guard let generation else { return nil }
        let (records, omitted) = [ChangeRecord].records(of: changes, in: settings)
        return Trial(
            id: id, store: generation.store, generation: generation.generation, owner: owner,
            comment: identity.comment, began: WallTime(milliseconds: identity.began.time).description,
            phase: phase, window: trial.length, remaining: remaining(now), changes: records,
            omitted: omitted, failures: revert.failures.isEmpty ? nil : revert.failures,
            probes: trial.probes?.reports)
    }
}
