/// Says what one adapter did with a change.
package struct AdapterResult: Codable, Hashable, Sendable {
    /// The adapter.
    package var adapter: String
    /// What it did.
    package var state: State
    /// The same for people.
    package var message: String

    /// Creates a result.
    package init(adapter: String, state: State, message: String) {
        self.adapter = adapter
        self.state = state
        self.message = message
    }

    /// What an adapter did with a change.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// The system follows the settings now.
        case applied
        /// The change is stored; the system was not touched.
        case notApplied = "not_applied"
        /// The system could not be changed.
        case failed
    }
}
