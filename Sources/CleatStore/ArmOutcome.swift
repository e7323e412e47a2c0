package import CleatAPI

/// The outcome of arming a trial.
package enum ArmOutcome: Sendable, Hashable {
    /// The changes are stored as a pending generation, with the old and new value of each leaf.
    case pending(GenerationRef, [StoredChange])
    /// The settings have the requested values already; nothing was written, not even the mementos.
    case unchanged(GenerationRef)
    /// The same changes with the same id were armed or committed before; the record's state is their outcome.
    case repeated(GenerationRecord)
}
