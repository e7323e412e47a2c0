/// The last outcome of a probe of a change on trial.
package struct ProbeReport: Codable, Hashable, Sendable {
    /// The probe, as in `tcp:192.0.2.1:22`.
    package var probe: String
    /// The outcome.
    package var state: State
    /// Details as text for users; nil if there are none.
    package var message: String?

    /// Creates a report.
    package init(probe: String, state: State, message: String? = nil) {
        self.probe = probe
        self.state = state
        self.message = message
    }

    /// The outcome of a probe.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// It was not checked yet since the change.
        case waiting
        /// The condition holds.
        case holds
        /// The condition does not hold.
        case fails
        /// It did not hold before the change, and its outcome is ignored.
        case ignored
    }
}
