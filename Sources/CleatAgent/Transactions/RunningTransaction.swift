import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

/// What the engine knows of the change that is on its way to the system, or on trial.
struct RunningTransaction {
    /// Where the change is, and what may happen to it.
    var machine: TransactionMachine
    /// The id that confirms it.
    let id: String
    /// Who asked for it.
    let owner: String
    let comment: String?
    /// The hooks that it goes back to.
    let cause: String?
    /// When it was armed.
    let began: CommitStamp
    /// How long it waits, in milliseconds, from the moment that it is applied.
    var window: Int64?
    /// What is to be stored.
    let request: CommitRequest?
    /// What changes in the system with it.
    var change = SystemChange()
    /// What the touched resources were, in the order in which they are applied.
    var mementos: [Memento] = []
    /// What is told of interfaces that are not here, and so are not touched.
    var absent: [CleatAPI.AdapterResult] = []
    /// What those resources were before Cleat first touched them that are let go.
    var origins: [Resource: Memento] = [:]
    /// What resources shall be besides, once the adapters are done: what a snapshot holds of them.
    var bringing: [Memento] = []
    /// What the touched resources are now that it is applied.
    var fingerprints: [StoredFingerprint] = []
    /// The settings before it.
    var before: LayeredSettings?
    /// The settings with the change; nil once they are those of the engine.
    var after: LayeredSettings?
    /// The generation that is on trial, once it is armed.
    var generation: GenerationRef?
    /// How the store's rows change.
    var changes: [SettingDifference] {
        didSet { paths = Set(changes.map(\.path)) }
    }
    /// The paths that it changes.
    private(set) var paths: Set<SettingPath> = []
    /// The instant at which it ends by itself.
    var deadline: BootTime?
    /// Which of the board's files it was applied by, as their reading is counted; nil where another run of the service has
    /// applied it.
    var sourcesRevision: Int?
    /// What has to hold for it to be confirmed by itself; nil where only somebody confirms it.
    var probes: ProbeWatch?
    /// What looks at the probes.
    var probing: Task<Void, Never>?
    /// What has confirmed it, for the history, where nobody did.
    var note: String?
    /// What waits for that instant, or for the next try to undo it.
    var timer: Task<Void, Never>?
    /// Why it is undone.
    var reason = ""
    /// Who has it undone.
    var undoneBy = "cleatd"
    /// What went wrong on the way back.
    var failures: [String] = []
    /// Whether its values are no longer in force, though it has not ended yet.
    var isUndone = false
    /// What came back with the others, but for what is left to do.
    var leftovers: [Leftover] = []
    /// What was run on the way back.
    var takenUp: [AdapterAction] = []
    /// What cannot be brought back any more, since what it was cannot be read.
    var lost: [CleatAPI.AdapterResult] = []
    /// How often undoing it was tried in vain.
    var attempts = 0
    /// What the adapters did last.
    var results: [CleatAPI.AdapterResult] = []
    /// What the adapters did when it was applied.
    var applied: [CleatAPI.AdapterResult] = []
    /// Why the last action could not be done.
    var failure: APIError?

    /// How many milliseconds it waits yet; nil where it does not.
    var remaining: Int64? {
        guard machine.state == .awaitingConfirm, let deadline else { return nil }
        return max(0, deadline.duration(since: .now()).milliseconds)
    }

    /// How far it has come, in the words of the wire.
    var phase: Trial.Phase {
        switch machine.state {
        case .prepared, .refused: .armed
        case .applying, .probing: .applying
        case .awaitingConfirm, .confirming, .confirmed: .awaitingConfirm
        case .reverting, .reverted: .reverting
        case .revertFailed: .revertFailed
        }
    }

    /// What someone whose change is refused is told.
    var notice: TrialSummary {
        TrialSummary(
            id: id, owner: owner, generation: generation?.generation ?? 0, phase: phase, remaining: remaining,
            failures: failures.isEmpty ? nil : failures)
    }

    /// The refusal of another change.
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
