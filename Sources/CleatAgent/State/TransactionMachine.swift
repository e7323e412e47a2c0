/// The life cycle of one change that has effects beyond the store, or is on trial: its states, the events in each of
/// them, and the actions that follow.
///
/// ```
/// prepared -> applying -> probing -> awaitingConfirm -> confirming -> confirmed
///                  \_________\____________\______________\-> reverting -> reverted | revertFailed
/// ```
///
/// The machine is pure: its driver performs an ``Action`` and reports the outcome. Durable are the arming, which comes
/// before the first effect, the deadline, the start of the revert and the end.
package struct TransactionMachine: Hashable, Sendable {
    /// The state of a change.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// It was checked, and nothing has happened.
        case prepared
        /// It could not be armed, and nothing has happened.
        case refused
        /// All data for a revert is durable; the system is being changed.
        case applying
        /// The system is changed; the checks of its probes are being started.
        case probing
        /// It waits for its confirmation until its deadline.
        case awaitingConfirm
        /// It is being stored as the generation that boots.
        case confirming
        /// It is the generation that boots.
        case confirmed
        /// It is being reverted.
        case reverting
        /// Everything is as it was before.
        case reverted
        /// It could not be reverted completely; only a retry ends it.
        case revertFailed

        /// True if no event can happen any more.
        package var isEnd: Bool { self == .refused || self == .confirmed || self == .reverted }
    }

    /// The events of a change.
    package enum Event: String, Hashable, Sendable, CaseIterable {
        /// The change is requested, or resumed.
        case begin
        /// An action has succeeded.
        case done
        /// An action has failed.
        case failed
        /// A caller, or a probe, confirms it.
        case confirm
        /// A caller aborts it, or the revert is retried.
        case abort
        /// The deadline has passed.
        case windowEnded
    }

    /// The actions of the driver.
    package enum Action: Hashable, Sendable, CaseIterable {
        /// Write the generation as pending, with mementos and confirm window, durably.
        case arm
        /// Change the system.
        case apply
        /// Start to check the probes.
        case probe
        /// Write the deadline, and wait for it.
        case beginWindow
        /// Store the generation as the one that boots, durably.
        case recordConfirmation
        /// Write that the revert has started, then restore the mementos.
        case restore
        /// Write the generation that reverts it, durably.
        case recordRevert
        /// Write that it could not be reverted.
        case recordFailure
    }

    /// The state of a change that a restart finds in the store.
    package enum Remains: Hashable, Sendable, CaseIterable {
        /// It was armed, or being applied.
        case started
        /// It waited for its confirmation, and does so still.
        case waiting
        /// It waited in another boot.
        case waitingInAnotherBoot
        /// It was being reverted, or that had failed.
        case reverting
    }

    /// The state of the change.
    package private(set) var state: State
    /// True if it waits for a confirmation.
    package let isTrial: Bool
    /// True if it is reverted as soon as it is applied.
    package let isRehearsal: Bool
    /// True if only the generation that reverts it is missing.
    private var isRestored = false
    /// The state from a former run of the service; nil for a new change.
    private var remains: Remains?

    /// Creates the machine for a change that was checked.
    ///
    /// - Parameters:
    ///   - isTrial: True if it waits for a confirmation once it is applied.
    ///   - isRehearsal: True if it is reverted as soon as it is applied.
    package init(isTrial: Bool, isRehearsal: Bool = false) {
        self.isTrial = isTrial
        self.isRehearsal = isRehearsal
        state = .prepared
    }

    /// Creates the machine for a change that another run of the service has started; it begins like any other.
    ///
    /// - Parameter remains: The state that the store has.
    package init(resuming remains: Remains) {
        self.init(isTrial: true)
        self.remains = remains
    }

    /// Moves to the next state for an event.
    ///
    /// - Returns: The next action; nil if there is nothing to do but to wait, or the end is reached.
    /// - Throws: ``IllegalTransition`` if the event is not possible in this state; the state is unchanged.
    package mutating func handle(_ event: Event) throws(IllegalTransition) -> Action? {
        switch (state, event) {
        case (.prepared, .begin):
            switch remains {
            case nil: return .arm
            case .waiting: return go(to: .awaitingConfirm, .beginWindow)
            case .started, .waitingInAnotherBoot, .reverting: return go(to: .reverting, .restore)
            }
        case (.prepared, .done) where remains == nil: return go(to: .applying, .apply)
        case (.prepared, .failed) where remains == nil: return go(to: .refused, nil)
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
            // If the system is restored and only the record is missing, no failure is recorded.
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

/// An event that is not possible in the state of a change.
package struct IllegalTransition: Error, Equatable, Sendable, CustomStringConvertible {
    /// The state of the change.
    package let state: TransactionMachine.State
    /// The event.
    package let event: TransactionMachine.Event

    /// The error as one sentence.
    package var description: String { "a change in the state \(state.rawValue) cannot handle \(event.rawValue)" }
}
