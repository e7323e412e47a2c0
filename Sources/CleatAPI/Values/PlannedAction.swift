/// Says what would be done once the system has changed.
package struct PlannedAction: Codable, Hashable, Sendable {
    /// The adapter that asks for it.
    package var adapter: String
    /// What would be done.
    package var kind: Kind
    /// The same for people.
    package var title: String
    /// The service, where it is one.
    package var service: String?
    /// The program that would run; nil where none would.
    package var program: String?
    /// Why it would not be done, or why the board must be rebooted.
    package var note: String?

    /// What would be done.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A program runs.
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
