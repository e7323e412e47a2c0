/// The result of a rehearsal for one resource of the system.
package struct RehearsedStep: Codable, Hashable, Sendable {
    /// The adapter that changed it.
    package var adapter: String
    /// The kind of resource, as in ``PlannedStep/kind``.
    package var kind: String
    /// The name for users: its path.
    package var resource: String
    /// The state after the rehearsal.
    package var state: State
    /// The same as text for users, with the difference if there is one.
    package var message: String

    /// The state of one resource after a rehearsal.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// The resource was changed, and its former state is restored.
        case restored
        /// The resource differs from its former state.
        case differs
        /// The resource was not touched.
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
