package import CleatAPI

/// The outcome of a commit.
package enum CommitOutcome: Sendable, Hashable {
    /// The changes are stored as a generation of their own, with the old and new value of each leaf.
    case committed(GenerationRef, [StoredChange])
    /// The settings had the requested values already; nothing was written.
    case unchanged(GenerationRef)
    /// The same changes with the same id were committed before, as this generation.
    case repeated(GenerationRecord)
}
