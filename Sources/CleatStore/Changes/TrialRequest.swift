package import CleatSettings

/// The input of a trial, besides the change itself.
package struct TrialRequest: Sendable {
    /// The length of the confirm window once everything is applied, in milliseconds; nil if the change is confirmed at
    /// once.
    package var window: Int64?
    /// The former state of each resource, in the order in which the resources are applied.
    package var mementos: [StoredMemento]
    /// The former states of resources that Cleat touches for the first time.
    ///
    /// If the store has an origin of a resource already, that one stays: it is the older one.
    package var origins: [StoredMemento]
    /// The probes that must hold for the trial to be confirmed automatically, at most `StoreLimits.probes`.
    package var probes: [StoredProbe]
    /// The contents of documents that the changes name, as far as the store may not have them yet.
    package var contents: [StoredContent]
    /// True to start a trial even if no setting changes: resources are written again.
    package var mayChangeNothing: Bool

    /// Creates a request from its parts.
    package init(
        window: Int64? = nil, mementos: [StoredMemento] = [], origins: [StoredMemento] = [],
        probes: [StoredProbe] = [], contents: [StoredContent] = [], mayChangeNothing: Bool = false
    ) {
        self.contents = contents
        self.window = window
        self.mementos = mementos
        self.origins = origins
        self.probes = probes
        self.mayChangeNothing = mayChangeNothing
    }
}

/// The outcome of arming a trial.
package enum ArmOutcome: Sendable, Equatable {
    /// The changes are stored as a pending generation, with the old and new value of each leaf.
    case pending(GenerationRef, [StoredChange])
    /// The settings have the requested values already; nothing was written, not even the mementos.
    case unchanged(GenerationRef)
    /// The same changes with the same id were armed or committed before; the record's state is their outcome.
    case repeated(GenerationRecord)
}

/// The outcome of a trial.
package enum TrialOutcome: Sendable, Equatable {
    /// The generation that was on trial is confirmed, and the device boots with it from now on; with it, its changes.
    case confirmed(GenerationRef, [StoredChange])
    /// The trial was reverted by this generation; with it, that generation's changes, which revert the trial.
    case reverted(GenerationRef, [StoredChange])
    /// The trial had ended that way before; this is the generation that was on trial.
    case repeated(GenerationRecord)
}
