/// A summary of the change on trial, for the status and for the error of a change that it blocks.
package struct TrialSummary: Codable, Hashable, Sendable {
    /// The transaction's id.
    package var id: String
    /// The user who requested the change.
    package var owner: String
    /// The generation that is on trial.
    package var generation: Int64
    /// The phase of the trial.
    package var phase: Trial.Phase
    /// The remaining time in milliseconds; nil if the countdown has not started or has ended.
    package var remaining: Int64?
    /// The failures of the revert; nil if there were none.
    ///
    /// An error omits them: they are in its message.
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
