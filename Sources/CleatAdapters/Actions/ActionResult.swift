/// Says what came of an action.
package struct ActionResult: Hashable, Sendable {
    /// What came of it.
    package enum Outcome: Hashable, Sendable {
        /// The program ended well.
        case done
        /// It was not begun, and why.
        case skipped(String)
        /// It failed; a sentence that names the program and the remedy.
        case failed(String)
        /// The board must be rebooted, and why.
        case needsReboot(String)
    }

    /// What it does, for people.
    package let title: String
    /// What came of it.
    package let outcome: Outcome
    /// How long it took.
    package let duration: Duration

    /// Whether it did not fail.
    package var isSuccess: Bool {
        if case .failed = outcome { false } else { true }
    }
}
