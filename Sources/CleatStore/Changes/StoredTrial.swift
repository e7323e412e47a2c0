package import CleatSettings

/// The generation that is on trial, with everything that a revert needs.
package struct StoredTrial: Sendable, Equatable {
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
    /// The time at which it was armed.
    package var began: CommitStamp
    /// The errors of the last attempt to revert it; nil if there were none.
    package var failures: String?
    /// The leaves that it changes, sorted by the bytes of their paths.
    package var changes: [StoredChange]
    /// The former state of each resource, in the order in which the resources are applied.
    package var mementos: [StoredMemento]
    /// The probes that must hold for it to be confirmed automatically.
    package var probes: [StoredProbe] = []
}

/// The phase of a trial, as far as a restart of the service needs it.
package enum TrialPhase: Sendable, Equatable {
    /// Everything that a revert needs is stored; parts of it may have an effect.
    case armed
    /// Everything is applied; the trial waits for its confirmation, until its deadline.
    case awaitingConfirm
    /// The revert has started; the change can no longer be confirmed.
    case reverting
    /// The revert failed; it can be tried again.
    case revertFailed
    /// A phase that this release does not know; a later one wrote it.
    case other(String)

    /// The phase as a word in the store's table.
    package var word: String {
        switch self {
        case .armed: "armed"
        case .awaitingConfirm: "awaiting_confirm"
        case .reverting: "reverting"
        case .revertFailed: "revert_failed"
        case .other(let word): word
        }
    }

    init(word: String) {
        self =
            switch word {
            case "armed": .armed
            case "awaiting_confirm": .awaitingConfirm
            case "reverting": .reverting
            case "revert_failed": .revertFailed
            default: .other(word)
            }
    }
}

/// The deadline of a trial: an instant of one boot, which no change of the wall clock moves.
package struct TrialDeadline: Sendable, Equatable {
    /// The id of the boot; in another boot the trial is over.
    package var bootID: String
    /// CLOCK_BOOTTIME, in milliseconds.
    package var bootTime: Int64

    /// Creates a deadline from a boot and an instant.
    package init(bootID: String, bootTime: Int64) {
        self.bootID = bootID
        self.bootTime = bootTime
    }
}

/// A probe that must hold for a trial to be confirmed automatically.
package struct StoredProbe: Sendable, Equatable {
    /// The probe's text, 1 to `StoreLimits.wordBytes` bytes.
    package var probe: String
    /// The reason why it did not hold before the change, so that the trial does not wait for it; nil if it did hold.
    ///
    /// It is truncated to `StoreLimits.wordBytes` bytes.
    package var failure: String?

    /// Creates a probe from its text, and the reason why it did not hold.
    package init(_ probe: String, failure: String? = nil) {
        self.probe = probe
        self.failure = failure
    }
}
