extension SettingsInterface {
    /// Makes the committed settings those of an earlier generation again, as a new generation.
    package enum Rollback: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Rollback"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The generation to go back to, 0 for the empty store; nil is the one before the newest change
            /// that is in force.
            package var to: Int64?
            /// The transaction's id, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The state that the rollback was asked for.
            package var expect: GenerationRef?
            /// What the author says about it.
            package var comment: String?
            /// Whether all is done but the change itself.
            package var check: Bool?
            /// How long the change is on trial, in milliseconds; nil where it is no trial.
            package var confirm: Int64?
            /// Whether the answer says what the rollback would do, and nothing is written.
            package var plan: Bool?
            /// Whether the rollback is made and undone at once.
            package var rehearse: Bool?
            /// The probes that confirm it once they hold.
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

        /// Holds what a reply carries.
        package typealias Reply = SettingsInterface.Set.Reply
    }
}
