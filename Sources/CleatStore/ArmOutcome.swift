package import CleatAPI

/// Says what became of arming a trial.
package enum ArmOutcome: Sendable, Hashable {
    /// The changes are on the device as a pending generation; with them, what each leaf holds now.
    case pending(GenerationRef, [StoredChange])
    /// The settings are as they should be; nothing was written, the mementos neither.
    case unchanged(GenerationRef)
    /// The same changes with the same id were armed or committed before; the record's state says what became of them.
    case repeated(GenerationRecord)
}
