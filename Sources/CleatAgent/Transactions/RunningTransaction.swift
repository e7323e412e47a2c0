import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

/// The change that is being applied to the system, or on trial, as the engine sees it.
struct RunningTransaction {
    /// The state machine of the change.
    var machine: TransactionMachine
    /// The id that confirms it.
    let id: String
    /// The user who made it.
    let owner: String
    let comment: String?
    /// The hooks that caused it.
    let cause: String?
    /// The time at which it was armed.
    let began: CommitStamp
    /// The confirm window in milliseconds, from the moment that the change is applied.
    var window: Int64?
    /// The request to the store.
    let request: CommitRequest?
    /// The changes of the system.
    var change = SystemChange()
    /// The former states of the touched resources, in the order in which they are applied.
    var mementos: [Memento] = []
    /// The results for missing interfaces, which are not touched.
    var absent: [CleatAPI.AdapterResult] = []
    /// The states before Cleat first touched them, of the resources that are released.
    var origins: [Resource: Memento] = [:]
    /// The states that a snapshot has for other resources, which are restored after the adapters.
    var bringing: [Memento] = []
    /// The states of the touched resources after the change was applied.
    var fingerprints: [StoredFingerprint] = []
    /// The settings before it.
    var before: LayeredSettings?
    /// The settings with the change; nil once they are those of the engine.
    var after: LayeredSettings?
    /// The generation that is on trial, once it is armed.
    var generation: GenerationRef?
    /// The changes of the store's rows.
    var changes: [SettingDifference] {
        didSet { paths = Set(changes.map(\.path)) }
    }
    /// The paths that it changes.
    private(set) var paths: Set<SettingPath> = []
    /// The instant at which the confirm window ends.
    var deadline: BootTime?
    /// The revision of the board's files by which it was applied; nil if another run of the service has applied it.
    var sourcesRevision: Int?
    /// The probes that confirm it when they hold; nil if only a caller confirms it.
    var probes: ProbeWatch?
    /// The task that checks the probes.
    var probing: Task<Void, Never>?
    /// The comment for the history about the probes that have confirmed it; nil if a caller did.
    var note: String?
    /// The task that waits for the deadline, or for the next retry of the revert.
    var timer: Task<Void, Never>?
    /// The reason why it is undone.
    var reason = ""
    /// The user who has it undone.
    var undoneBy = "cleatd"
    /// The failures of the revert.
    var failures: [String] = []
    /// True if its values are no longer in force, though it has not ended yet.
    var isUndone = false
    /// The failed actions of the revert that do not block its end.
    var leftovers: [Leftover] = []
    /// The actions that were run by the revert.
    var takenUp: [AdapterAction] = []
    /// The resources that cannot be restored any more, since their former state cannot be read.
    var lost: [CleatAPI.AdapterResult] = []
    /// The number of failed attempts to undo it.
    var attempts = 0
    /// The latest results of the adapters.
    var results: [CleatAPI.AdapterResult] = []
    /// The results of the adapters when it was applied.
    var applied: [CleatAPI.AdapterResult] = []
    /// The reason why the last action failed.
    var failure: APIError?

    /// The remaining time in milliseconds; nil if it is not waiting.
    var remaining: Int64? {
        guard machine.state == .awaitingConfirm, let deadline else { return nil }
        return max(0, deadline.duration(since: .now()).milliseconds)
    }

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

    /// The summary for callers whose change is refused.
    var notice: TrialSummary {
        TrialSummary(
            id: id, owner: owner, generation: generation?.generation ?? 0, phase: phase, remaining: remaining,
            failures: failures.isEmpty ? nil : failures)
    }

    /// The error for another change.
    var refusal: APIError {
        let what =
            switch machine.state {
            case .revertFailed: "could not be undone (\(failures.joined(separator: "; ")))"
            case .awaitingConfirm:
                "is on trial for another \(DurationText.text(milliseconds: (remaining ?? 0) / 1000 * 1000))"
            default: "is being made or undone"
            }
        let verbs =
            machine.state == .revertFailed
            ? "'cleat abort \(id)' tries again to undo it"
            : "'cleat confirm \(id)' keeps it, 'cleat abort \(id)' undoes it"
        return .transactionPending(
            notice, message: "change \(id) of \(owner) \(what), and nothing else can be changed meanwhile; \(verbs)")
    }
}
