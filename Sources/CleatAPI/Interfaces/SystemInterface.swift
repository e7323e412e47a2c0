/// The differences between the system and the settings: `dev.cleat.System`.
package enum SystemInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.System"

    /// Compares the system with the settings, and lists outside edits.
    package enum Drift: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.System.Drift"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// Creates the parameters.
            package init() {}
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The resources that differ from their last written state.
            package var drift: [DriftInfo]
            /// The failures at the last start or reload, and those of failed actions.
            package var failures: [AdapterResult]

            /// Creates the reply.
            package init(drift: [DriftInfo], failures: [AdapterResult] = []) {
                self.drift = drift
                self.failures = failures
            }
        }
    }

    /// Writes the settings to the system again, and so overwrites outside edits.
    package enum Reapply: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.System.Reapply"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The names of the resources, as in the reply of `Drift`; nil for all.
            package var names: [String]?
            /// The id of the change on trial, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The author's comment.
            package var comment: String?
            /// The confirm window in milliseconds; nil if the change is not on trial.
            package var confirm: Int64?
            /// The probes that confirm the change once they hold.
            package var until: [String]?

            /// Creates the parameters.
            package init(
                names: [String]? = nil, id: String? = nil, comment: String? = nil, confirm: Int64? = nil,
                until: [String]? = nil
            ) {
                self.names = names
                self.id = id
                self.comment = comment
                self.confirm = confirm
                self.until = until
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The results of the adapters.
            package var results: [AdapterResult]
            /// The remaining drift.
            package var drift: [DriftInfo]
            /// The id of the change on trial, or of the former change that the request repeats; nil if there is none.
            package var id: String?
            /// The store's id; nil without a trial, as for the other members of a trial.
            package var store: String?
            /// The generation of the change; nil without a trial.
            package var generation: Int64?
            /// The outcome of the change on trial.
            package var state: CommitState?
            /// The confirm window in milliseconds.
            package var window: Int64?
            /// The probes that confirm the change, with their last outcomes.
            package var probes: [ProbeReport]?

            /// Creates the reply.
            package init(
                results: [AdapterResult], drift: [DriftInfo], id: String? = nil, store: String? = nil,
                generation: Int64? = nil, state: CommitState? = nil, window: Int64? = nil, probes: [ProbeReport]? = nil
            ) {
                self.results = results
                self.drift = drift
                self.id = id
                self.store = store
                self.generation = generation
                self.state = state
                self.window = window
                self.probes = probes
            }
        }
    }

    /// Adopts outside edits into the settings.
    package enum Adopt: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.System.Adopt"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The names of the resources, as in the reply of `Drift`; nil for all.
            package var names: [String]?
            /// True if edits that no setting can express are kept, and no longer count as drift.
            package var asIs: Bool?
            /// The id of the change on trial, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The author's comment.
            package var comment: String?
            /// The confirm window in milliseconds; nil if the change is not on trial.
            package var confirm: Int64?
            /// The probes that confirm the change once they hold.
            package var until: [String]?

            /// The names on the wire.
            private enum CodingKeys: String, CodingKey {
                case names
                case asIs = "as_is"
                case id, comment, confirm, until
            }

            /// Creates the parameters.
            package init(
                names: [String]? = nil, asIs: Bool? = nil, id: String? = nil, comment: String? = nil,
                confirm: Int64? = nil, until: [String]? = nil
            ) {
                self.names = names
                self.asIs = asIs
                self.id = id
                self.comment = comment
                self.confirm = confirm
                self.until = until
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The generation of the changes, or the last one if no setting changed.
            package var generation: Int64
            /// The changes of the settings.
            package var changes: [ChangeRecord]
            /// The resources that stay as they are, without a change of a setting.
            package var left: [String]
            /// The results of the adapters.
            package var results: [AdapterResult]
            /// The remaining drift.
            package var drift: [DriftInfo]
            /// The id of the change on trial, or of the former change that the request repeats; nil if there is none.
            package var id: String?
            /// The outcome of the change on trial.
            package var state: CommitState?
            /// The confirm window in milliseconds.
            package var window: Int64?
            /// The probes that confirm the change, with their last outcomes.
            package var probes: [ProbeReport]?

            /// Creates the reply.
            package init(
                store: String, generation: Int64, changes: [ChangeRecord], left: [String], results: [AdapterResult],
                drift: [DriftInfo], id: String? = nil, state: CommitState? = nil, window: Int64? = nil,
                probes: [ProbeReport]? = nil
            ) {
                self.id = id
                self.state = state
                self.window = window
                self.probes = probes
                self.store = store
                self.generation = generation
                self.changes = changes
                self.left = left
                self.results = results
                self.drift = drift
            }
        }
    }
}
