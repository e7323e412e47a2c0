extension SettingsInterface {
    /// Restores the committed settings of an earlier generation, as a new generation.
    package enum Rollback: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Rollback"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The generation to restore, 0 for the empty store; nil for the one before the caller's own newest change
            /// in force.
            package var to: Int64?
            /// The transaction's id, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The state that the rollback expects; another state is a conflict.
            package var expect: GenerationRef?
            /// The author's comment.
            package var comment: String?
            /// True if the change is only checked, and nothing is written.
            package var check: Bool?
            /// The confirm window in milliseconds; nil if the change is not on trial.
            package var confirm: Int64?
            /// True if the reply has the plan of the rollback, and nothing is written.
            package var plan: Bool?
            /// True if the rollback is made and undone at once.
            package var rehearse: Bool?
            /// The probes that confirm the change once they hold.
            package var until: [String]?

            /// Creates the parameters.
            package init(
                to: Int64? = nil, id: String? = nil, expect: GenerationRef? = nil, comment: String? = nil,
                check: Bool? = nil, confirm: Int64? = nil, plan: Bool? = nil, rehearse: Bool? = nil,
                until: [String]? = nil
            ) {
                self.to = to
                self.id = id
                self.expect = expect
                self.comment = comment
                self.check = check
                self.confirm = confirm
                self.plan = plan
                self.rehearse = rehearse
                self.until = until
            }
        }

        /// The reply to a call.
        package typealias Reply = SettingsInterface.Set.Reply
    }
}
