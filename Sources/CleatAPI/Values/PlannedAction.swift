/// An action that would run after the system has changed.
package struct PlannedAction: Codable, Hashable, Sendable {
    /// The adapter that requests it.
    package var adapter: String
    /// The kind of action.
    package var kind: Kind
    /// The same as text for users.
    package var title: String
    /// The service, if the action is for one.
    package var service: String?
    /// The program that would run; nil if none would.
    package var program: String?
    /// The reason why it would be skipped, or why the board must be rebooted.
    package var note: String?

    /// The kind of action.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A program is run.
        case command
        /// A service is reloaded, restarted, started or stopped.
        case service
        /// The board must be rebooted.
        case reboot
    }

    /// Creates an action.
    package init(
        adapter: String, kind: Kind, title: String, service: String? = nil, program: String? = nil,
        note: String? = nil
    ) {
        self.adapter = adapter
        self.kind = kind
        self.title = title
        self.service = service
        self.program = program
        self.note = note
    }
}
