package import CleatAPI

/// Holds the generation that is on trial, and all that the way back needs.
package struct StoredTrial: Sendable, Hashable {
    /// The store and the number of the generation on trial; what is confirmed is `SettingsStore.generation`.
    package var generation: GenerationRef
    /// The id of the change.
    package var id: String
    /// Who asked for it.
    package var owner: String
    /// How far it has come.
    package var phase: TrialPhase
    /// How long it waits for its confirmation, in milliseconds; nil where it is confirmed at once.
    package var window: Int64?
    /// When it ends by itself; nil until all is applied.
    package var deadline: TrialDeadline?
    /// How many times its end was put off.
    package var extended: Int64
    /// When it was armed.
    package var began: CommitStamp
    /// What went wrong on the way back, in the words of who tried it last; nil where nothing did.
    package var failures: String?
    /// Whether an older release, which does not know of trials, has committed since: such a trial can only be undone.
    package var isOvertaken: Bool
    /// The leaves that it changes, sorted by the bytes of their paths.
    package var changes: [StoredChange]
    /// What each resource was before, in the order in which the resources are applied.
    package var mementos: [StoredMemento]
    /// What has to hold for it to be confirmed by itself.
    package var probes: [StoredProbe] = []
}
