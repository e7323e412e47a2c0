/// Says whether one thing of the system is again what it was before a rehearsal.
package struct RehearsedStep: Codable, Hashable, Sendable {
    /// The adapter that changed it.
    package var adapter: String
    /// The kind of thing, as a plan has it.
    package var kind: String
    /// What people call it: its path.
    package var resource: String
    /// How it is now.
    package var state: State
    /// The same for people; of a difference, what differs.
    package var message: String

    /// How one thing of the system is after a rehearsal.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// It was changed, and is what it was before.
        case restored
        /// It is not what it was before.
        case differs
        /// It was not touched.
        case skipped
    }

    /// Creates a result.
    package init(adapter: String, kind: String, resource: String, state: State, message: String) {
        self.adapter = adapter
        self.kind = kind
        self.resource = resource
        self.state = state
        self.message = message
    }
}
