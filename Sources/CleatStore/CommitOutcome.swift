package import CleatAPI

/// Says what became of a commit.
package enum CommitOutcome: Sendable, Hashable {
    /// The changes are on the device, as a generation of their own; with them, what each leaf held before.
    case committed(GenerationRef, [StoredChange])
    /// Everything was as it should be; nothing was written.
    case unchanged(GenerationRef)
    /// The same changes with the same id were committed before, as this generation.
    case repeated(GenerationRecord)
}
