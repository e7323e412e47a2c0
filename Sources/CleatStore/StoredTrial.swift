package import CleatAPI

/// The generation that is on trial, with everything that a revert needs.
package struct StoredTrial: Sendable, Hashable {
    /// The store and the number of the generation on trial; the confirmed one is `StoreFile.generation`.
    package var generation: GenerationRef
    /// The id of the change.
    package var id: String
    /// The author of the change.
    package var owner: String
    /// The phase of the trial.
    package var phase: TrialPhase
    /// The length of the confirm window in milliseconds; nil if the change is confirmed at once.
    package var window: Int64?
    /// The deadline at which it reverts by itself; nil until everything is applied.
    package var deadline: TrialDeadline?
    /// The number of times that its deadline was extended.
    package var extended: Int64
    /// The time at which it was armed.
    package var began: CommitStamp
    /// The errors of the last attempt to revert it; nil if there were none.
    package var failures: String?
    /// True if an older release, which does not support trials, has committed since: such a trial can only be reverted.
    package var isOvertaken: Bool
    /// The leaves that it changes, sorted by the bytes of their paths.
    package var changes: [StoredChange]
    /// The former state of each resource, in the order in which the resources are applied.
    package var mementos: [StoredMemento]
    /// The probes that must hold for it to be confirmed automatically.
    package var probes: [StoredProbe] = []
}
