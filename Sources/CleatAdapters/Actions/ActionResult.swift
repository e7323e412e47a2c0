/// Describes the result of an action.
package struct ActionResult: Equatable, Sendable {
    /// The outcome of an action.
    package enum Outcome: Equatable, Sendable {
        /// The action succeeded.
        case done
        /// The action was not started, for this reason.
        case skipped(String)
        /// The system does not follow yet, for this reason; it does so without another action.
        case waiting(String)
        /// The action failed; a sentence that names the program and the remedy.
        case failed(String)
        /// The board must be rebooted, for this reason.
        case needsReboot(String)
    }

    /// The action as text for users: `reload systemd-networkd`.
    package let title: String
    /// The outcome of the action.
    package let outcome: Outcome
    /// The time that the action took.
    package let duration: Duration

    /// True if the action did not fail.
    package var isSuccess: Bool {
        if case .failed = outcome { false } else { true }
    }
}
