/// A change on trial: it is in force, and is undone unless it is confirmed in time.
package struct Trial: Codable, Hashable, Sendable {
    /// The id of the transaction; it is needed to confirm, extend or abort the change.
    package var id: String
    /// The store's id.
    package var store: String
    /// The generation that is on trial.
    package var generation: Int64
    /// The user who requested the change.
    package var owner: String
    /// The owner's comment.
    package var comment: String?
    /// The wall time of its start, RFC 3339 UTC.
    package var began: String
    /// The phase of the trial.
    package var phase: Phase
    /// The confirm window in milliseconds; nil if the change is confirmed as soon as it is applied.
    package var window: Int64?
    /// The remaining time in milliseconds; nil if the countdown has not started or has ended.
    package var remaining: Int64?
    /// The changes, in order of the paths.
    package var changes: [ChangeRecord]
    /// The number of further changes, which do not fit into the message; nil if there are none.
    package var omitted: Int?
    /// The failures of the revert; nil if there were none.
    package var failures: [String]?
    /// The probes that confirm the change once they hold.
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

    /// The phase of a trial.
    package enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
        /// The data that a revert needs is stored.
        case armed
        /// The system is being changed.
        case applying
        /// All is applied; the change waits for its confirmation.
        case awaitingConfirm = "awaiting_confirm"
        /// The change is being undone.
        case reverting
        /// The change could not be undone completely; `Abort` retries the revert.
        case revertFailed = "revert_failed"
    }
}
