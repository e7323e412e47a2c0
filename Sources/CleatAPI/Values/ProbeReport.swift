/// Says what was last seen of a probe of a change on trial.
package struct ProbeReport: Codable, Hashable, Sendable {
    /// The probe, as in `tcp:192.0.2.1:22`.
    package var probe: String
    /// What was seen.
    package var state: State
    /// The same for people, where there is more to say.
    package var message: String?

    /// Creates a report.
    package init(probe: String, state: State, message: String? = nil) {
        self.probe = probe
        self.state = state
        self.message = message
    }

    /// What was seen of a probe.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// It was not looked at since the change.
        case waiting
        /// It holds.
        case holds
        /// It does not hold.
        case fails
        /// It did not hold before the change, and is not waited for.
        case ignored
    }
}
