package import CleatAPI

/// Says how a trial ended.
package enum TrialOutcome: Sendable, Hashable {
    /// The generation that was on trial is what boots now; with it, what it changes.
    case confirmed(GenerationRef, [StoredChange])
    /// The trial is undone, by this generation; with it, what that one changes: the way back.
    case reverted(GenerationRef, [StoredChange])
    /// It had ended that way before; this is the generation that was on trial.
    case repeated(GenerationRecord)
}
