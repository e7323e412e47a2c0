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

            /// Creates the parameters.
            package init(names: [String]? = nil) {
                self.names = names
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// What the adapters did.
            package var results: [AdapterResult]
            /// What is left.
            package var drift: [DriftInfo]

            /// Creates the reply.
            package init(results: [AdapterResult], drift: [DriftInfo]) {
                self.results = results
                self.drift = drift
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

            /// Names on the wire.
            private enum CodingKeys: String, CodingKey {
                case names
                case asIs = "as_is"
            }

            /// Creates the parameters.
            package init(names: [String]? = nil, asIs: Bool? = nil) {
                self.names = names
                self.asIs = asIs
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

            /// Creates the reply.
            package init(
                store: String, generation: Int64, changes: [ChangeRecord], left: [String], results: [AdapterResult],
                drift: [DriftInfo]
            ) {
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
