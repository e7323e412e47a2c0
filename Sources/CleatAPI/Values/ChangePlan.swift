/// Says what a change would do to the board.
package struct ChangePlan: Codable, Hashable, Sendable {
    /// What would become of each thing of the system, in the order in which they are applied.
    package var steps: [PlannedStep]
    /// What would be done once they have changed.
    package var actions: [PlannedAction]
    /// The network interfaces that are touched.
    package var links: [String]
    /// What would become of the connection that the caller comes by.
    package var connection: Connection
    /// Why, in words.
    package var reason: String
    /// What people should know: settings that nothing follows here.
    package var notes: [String]
    /// How many more steps there are than a message has room for.
    package var omitted: Int?
    /// By which addresses the board is reached; nil where the interface that the caller comes to is not touched.
    package var reach: Reach?

    /// What would become of the caller's own connection.
    package enum Connection: String, Codable, Hashable, Sendable, CaseIterable {
        /// It stays.
        case kept
        /// It ends.
        case cut
        /// It cannot be told.
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
