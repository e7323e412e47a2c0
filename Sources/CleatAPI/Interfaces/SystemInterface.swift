/// What the system holds against what the settings say: `dev.cleat.System`.
package enum SystemInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.System"

    /// Looks at what somebody else has changed.
    package enum Drift: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.System.Drift"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// Creates the parameters.
            package init() {}
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// What is not what the service wrote last.
            package var drift: [DriftInfo]
            /// What could not be followed at the last start, or when files were read again.
            package var failures: [AdapterResult]

            /// Creates the reply.
            package init(drift: [DriftInfo], failures: [AdapterResult] = []) {
                self.drift = drift
                self.failures = failures
            }
        }
    }

    /// Writes what the settings say in the place of what somebody else has changed.
    package enum Reapply: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.System.Reapply"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The names of the resources, as `Drift` tells them; nil for all.
            package var names: [String]?
            /// The id of the change on trial, chosen by the client: a retry with it is safe.
            package var id: String?
            /// What the author says about it.
            package var comment: String?
            /// How long it is on trial, in milliseconds; nil where it is no trial.
            package var confirm: Int64?
            /// The probes that confirm it once they hold.
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

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// What the adapters did.
            package var results: [AdapterResult]
            /// What is left.
            package var drift: [DriftInfo]
            /// The id of the change on trial, and of a former one that is asked for again; nil where there is none.
            package var id: String?
            /// The store's id; there where the other words of a trial are.
            package var store: String?
            /// The generation that is, or was, on trial.
            package var generation: Int64?
            /// What became of the change on trial.
            package var state: CommitState?
            /// How long it waits for its confirmation, in milliseconds.
            package var window: Int64?
            /// The probes that confirm it, and what was seen of them.
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

    /// Takes over what somebody else has changed.
    package enum Adopt: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.System.Adopt"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The names of the resources, as `Drift` tells them; nil for all.
            package var names: [String]?
            /// Whether what can be told as no setting is left as it is, and no longer counts as changed.
            package var asIs: Bool?
            /// The id of the change on trial, chosen by the client: a retry with it is safe.
            package var id: String?
            /// What the author says about it.
            package var comment: String?
            /// How long it is on trial, in milliseconds; nil where it is no trial.
            package var confirm: Int64?
            /// The probes that confirm it once they hold.
            package var until: [String]?

            /// Names on the wire.
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

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The generation now.
            package var generation: Int64
            /// The settings that have changed.
            package var changes: [ChangeRecord]
            /// The resources that are left as they are.
            package var left: [String]
            /// What the adapters did.
            package var results: [AdapterResult]
            /// What is left.
            package var drift: [DriftInfo]
            /// The id of the change on trial, and of a former one that is asked for again; nil where there is none.
            package var id: String?
            /// What became of the change on trial.
            package var state: CommitState?
            /// How long it waits for its confirmation, in milliseconds.
            package var window: Int64?
            /// The probes that confirm it, and what was seen of them.
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
