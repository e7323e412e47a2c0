/// Describes a change on trial: in force, and undone unless somebody confirms it in time.
package struct Trial: Codable, Hashable, Sendable {
    /// The id of the transaction: who knows it may confirm, extend or abort.
    package var id: String
    /// The store's id.
    package var store: String
    /// The generation that is on trial.
    package var generation: Int64
    /// Who asked for the change.
    package var owner: String
    /// What the owner wrote about it.
    package var comment: String?
    /// Wall time of its beginning, RFC 3339 UTC.
    package var began: String
    /// How far it has come.
    package var phase: Phase
    /// How long it waits for its confirmation, in milliseconds; nil where it is confirmed as soon as it is applied.
    package var window: Int64?
    /// How many milliseconds are left; nil where the countdown has not begun, or is over.
    package var remaining: Int64?
    /// What it changes, in order of the paths.
    package var changes: [ChangeRecord]
    /// How many more changes there are than a message has room for.
    package var omitted: Int?
    /// What went wrong on the way back.
    package var failures: [String]?
    /// The probes that confirm it once they hold.
    package var probes: [ProbeReport]?

    /// Creates a description.
    package init(
        id: String, store: String, generation: Int64, owner: String, comment: String? = nil, began: String,
        phase: Phase, window: Int64? = nil, remaining: Int64? = nil, changes: [ChangeRecord] = [],
        omitted: Int? = nil, failures: [String]? = nil, probes: [ProbeReport]? = nil
    ) {
        self.id = id
        self.store = store
        self.generation = generation
        self.owner = owner
        self.comment = comment
        self.began = began
        self.phase = phase
        self.window = window
        self.remaining = remaining
        self.changes = changes
        self.omitted = omitted
        self.failures = failures
        self.probes = probes
    }

    /// How far a trial has come.
    package enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
        /// All is written that the way back needs.
        case armed
        /// The system is being changed.
        case applying
        /// All is applied; it waits for its confirmation.
        case awaitingConfirm = "awaiting_confirm"
        /// It is being undone.
        case reverting
        /// It could not be undone as a whole; that is tried again with `Abort`.
        case revertFailed = "revert_failed"
    }
}
