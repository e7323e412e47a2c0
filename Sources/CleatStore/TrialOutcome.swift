package import CleatAPI

/// The outcome of a trial.
package enum TrialOutcome: Sendable, Hashable {
    /// The generation that was on trial is confirmed, and the device boots with it from now on; with it, its changes.
    case confirmed(GenerationRef, [StoredChange])
    /// The trial was undone by this generation; with it, that generation's changes, which revert the trial.
    case reverted(GenerationRef, [StoredChange])
    /// The trial had ended that way before; this is the generation that was on trial.
    case repeated(GenerationRecord)
}
