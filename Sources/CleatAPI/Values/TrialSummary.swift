/// Names the change on trial: in the status, and to someone whose own change is refused because of it.
package struct TrialSummary: Codable, Hashable, Sendable {
    /// The transaction's id.
    package var id: String
    /// Who asked for it.
    package var owner: String
    /// The generation that is on trial.
    package var generation: Int64
    /// How far it has come.
    package var phase: Trial.Phase
    /// How many milliseconds it waits yet; nil where the countdown has not begun, or is over.
    package var remaining: Int64?
    /// What could not be undone; nil where all could, or nothing was to be.
    ///
    /// A refusal says it in its message instead.
    package var failures: [String]?

    /// Creates a summary.
    package init(
        id: String, owner: String, generation: Int64, phase: Trial.Phase, remaining: Int64? = nil,
        failures: [String]? = nil
    ) {
        self.id = id
        self.owner = owner
        self.generation = generation
        self.phase = phase
        self.remaining = remaining
        self.failures = failures
    }
}
