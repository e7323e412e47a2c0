/// The effects that a change would have on the board.
package struct ChangePlan: Codable, Hashable, Sendable {
    /// The effect on each resource of the system, in the order of application.
    package var steps: [PlannedStep]
    /// The actions after the resources have changed.
    package var actions: [PlannedAction]
    /// The network interfaces that the change touches.
    package var links: [String]
    /// The effect on the caller's own connection.
    package var connection: Connection
    /// The reason for the effect on the connection, as text.
    package var reason: String
    /// Notes for users, such as settings that no adapter follows on this board.
    package var notes: [String]
    /// The number of further steps, which do not fit into the message; nil if there are none.
    package var omitted: Int?
    /// The addresses of the board for the caller; nil if the change does not touch the interface of the caller's
    /// connection.
    package var reach: Reach?

    /// The effect on the caller's own connection.
    package enum Connection: String, Codable, Hashable, Sendable, CaseIterable {
        /// The connection stays.
        case kept
        /// The connection is lost.
        case cut
        /// The effect is not known.
        case unknown
    }

    /// Creates a plan.
    package init(
        steps: [PlannedStep] = [], actions: [PlannedAction] = [], links: [String] = [],
        connection: Connection = .unknown, reason: String = "", notes: [String] = [], omitted: Int? = nil,
        reach: Reach? = nil
    ) {
        self.steps = steps
        self.actions = actions
        self.links = links
        self.connection = connection
        self.reason = reason
        self.notes = notes
        self.omitted = omitted
        self.reach = reach
    }
}
