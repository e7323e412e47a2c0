/// The life of one change that has effects beyond the store, or is on trial: which states there are, what may happen in
/// each, and what is to be done then.
///
/// ```
/// prepared -> applying -> probing -> awaitingConfirm -> confirming -> confirmed
///                  \_________\____________\______________\-> reverting -> reverted | revertFailed
/// ```
///
/// It is pure: whoever drives it does what an ``Action`` says and tells it what came of that. Durable are the arming, which
/// stands before the first effect, the deadline, the beginning of the way back and the end.
package struct TransactionMachine: Hashable, Sendable {
    /// Where a change is.
    package enum State: Hashable, Sendable, CaseIterable {
        /// It was checked, and nothing has happened.
        case prepared
        /// It could not be armed, and nothing has happened.
        case refused
        /// All that the way back needs is durable; the system is being changed.
        case applying
        /// The system is changed; what has to hold is looked at.
        case probing
        /// It waits for its confirmation until its deadline.
        case awaitingConfirm
        /// It is being made what boots.
        case confirming
        /// It is what boots.
        case confirmed
        /// It is being undone.
        case reverting
        /// All is as it was before.
        case reverted
        /// It could not be undone as a whole; only trying again ends it.
        case revertFailed

        /// Whether nothing can happen any more.
        package var isEnd: Bool { self == .refused || self == .confirmed || self == .reverted }
    }

    /// What happens to a change.
    package enum Event: Hashable, Sendable, CaseIterable {
        /// It shall be made.
        case begin
        /// What an action was to do is done.
        case done
        /// What an action was to do could not be done.
        case failed
        /// Somebody confirms it.
        case confirm
        /// Somebody aborts it, or tries again to undo it.
        case abort
        /// Its deadline has come.
        case windowEnded
    }

    /// What is to be done.
    package enum Action: Hashable, Sendable, CaseIterable {
        /// Write the generation as pending, with mementos and window, durably.
        case arm
        /// Change the system.
        case apply
        /// See whether what has to hold does.
        case probe
        /// Write the deadline, and wait for it.
        case beginWindow
        /// Make the generation what boots, durably.
        case recordConfirmation
        /// Write that the way back has begun, then bring back what the mementos hold.
        case restore
        /// Write the generation that undoes it, durably.
        case recordRevert
        /// Write that it could not be undone.
        case recordFailure
    }

    /// What a restart finds in the store.
    package enum Remains: Hashable, Sendable, CaseIterable {
        /// It was armed, or being applied.
        case begun
        /// It waited for its confirmation, and does so still.
        case waiting
        /// It waited in another boot.
        case waitingInAnotherBoot
        /// It was being undone, or that had failed.
        case reverting
    }

    /// Where the change is.
    package private(set) var state: State
    /// Whether it waits for a confirmation.
    package let isTrial: Bool
    /// Whether it is undone as soon as it is applied.
    package let isRehearsal: Bool
    /// Whether the generation that undoes it is all that is missing.
    private var isRestored = false

    /// Takes a change that was checked.
    ///
    /// - Parameters:
    ///   - isTrial: whether it waits for a confirmation once it is applied.
    ///   - isRehearsal: whether it is undone as soon as it is applied.
    package init(isTrial: Bool, isRehearsal: Bool = false) {
        self.isTrial = isTrial
        self.isRehearsal = isRehearsal
        state = .prepared
    }

    /// Goes on with a change that another run of the service has begun.
    ///
    /// - Returns: the machine, and what is to be done first.
    package static func resumed(_ remains: Remains) -> (machine: TransactionMachine, action: Action) {
        var machine = TransactionMachine(isTrial: true)
        switch remains {
        case .waiting:
            machine.state = .awaitingConfirm
            return (machine, .beginWindow)
        case .begun, .waitingInAnotherBoot, .reverting:
            machine.state = .reverting
            return (machine, .restore)
        }
    }

    /// Goes on to where an event leads.
    ///
    /// - Returns: what is to be done; nil where there is nothing to do but to wait, or the end is reached.
    /// - Throws: where nothing of that kind may happen now; the state is as it was.
    package mutating func handle(_ event: Event) throws(IllegalTransition) -> Action? {
        switch (state, event) {
        case (.prepared, .begin): return .arm
        case (.prepared, .done): return go(to: .applying, .apply)
        case (.prepared, .failed): return go(to: .refused, nil)
        case (.applying, .done): return go(to: .probing, .probe)
        case (.probing, .done) where isRehearsal: return go(to: .reverting, .restore)
        case (.probing, .done):
            return isTrial ? go(to: .awaitingConfirm, .beginWindow) : go(to: .confirming, .recordConfirmation)
        case (.awaitingConfirm, .done): return nil
        case (.awaitingConfirm, .confirm): return go(to: .confirming, .recordConfirmation)
        case (.confirming, .done): return go(to: .confirmed, nil)
        // A confirmation that could not be written leaves the trial as it was, for as long as it has time.
        case (.confirming, .failed) where isTrial: return go(to: .awaitingConfirm, nil)
        case (.applying, .failed), (.probing, .failed), (.confirming, .failed), (.awaitingConfirm, .failed),
            (.awaitingConfirm, .abort), (.awaitingConfirm, .windowEnded), (.revertFailed, .abort):
            return go(to: .reverting, isRestored ? .recordRevert : .restore)
        case (.reverting, .done):
            if isRestored { return go(to: .reverted, nil) }
            isRestored = true
            return .recordRevert
        case (.reverting, .failed):
            // Where the system is as it was and only the record is missing, there is nothing to write down, either.
            return go(to: .revertFailed, isRestored ? nil : .recordFailure)
        case (.revertFailed, .done), (.revertFailed, .failed): return nil
        default: throw IllegalTransition(state: state, event: event)
        }
    }

    private mutating func go(to next: State, _ action: Action?) -> Action? {
        state = next
        return action
    }
}

/// Says that something happened to a change that cannot happen to it where it is.
package struct IllegalTransition: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the change is.
    package let state: TransactionMachine.State
    /// What happened.
    package let event: TransactionMachine.Event

    /// The error as one sentence.
    package var description: String { "a change cannot see \(event) while it is \(state)" }
}
