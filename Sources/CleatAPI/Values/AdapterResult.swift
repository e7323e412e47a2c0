/// The result of one adapter for a change.
package struct AdapterResult: Codable, Hashable, Sendable {
    /// The adapter.
    package var adapter: String
    /// The outcome.
    package var state: State
    /// The same as text for users.
    package var message: String

    /// Creates a result.
    package init(adapter: String, state: State, message: String) {
        self.adapter = adapter
        self.state = state
        self.message = message
    }

    /// The outcome of a change in an adapter.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// The system follows the settings, at the latest after the next boot.
        case applied
        /// The change is stored, but this part of it was not applied; the message has the reason.
        case notApplied = "not_applied"
        /// The system could not be changed.
        case failed
    }
}
