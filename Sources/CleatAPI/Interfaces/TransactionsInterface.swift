/// The change that is on trial: `dev.cleat.Transactions`.
package enum TransactionsInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Transactions"

    /// Returns the change on trial.
    package enum Pending: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Pending"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// Creates the parameters.
            package init() {}
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The change on trial; nil if there is none.
            package var trial: Trial?
            /// The addresses of the board for the caller; nil if the change does not touch the interface of the
            /// caller's connection.
            package var reach: Reach?

            /// Creates the reply.
            package init(trial: Trial? = nil, reach: Reach? = nil) {
                self.trial = trial
                self.reach = reach
            }
        }
    }

    /// Confirms the change that is on trial.
    package enum Confirm: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Confirm"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The transaction's id.
            package var id: String

            /// Creates the parameters.
            package init(id: String) {
                self.id = id
            }
        }

        /// The reply to a call.
        package typealias Reply = End
    }

    /// Undoes the change that is on trial.
    package enum Abort: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Abort"

        /// The parameters of a call.
        package typealias Parameters = Confirm.Parameters

        /// The reply to a call.
        package typealias Reply = End
    }

    /// Waits until the change on trial has ended.
    package enum Wait: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Wait"

        /// The parameters of a call.
        package typealias Parameters = Confirm.Parameters

        /// The reply to a call.
        package typealias Reply = End
    }

    /// Restarts the confirm window of the change on trial with a new length.
    package enum Extend: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Extend"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The transaction's id.
            package var id: String
            /// The confirm window, in milliseconds from now.
            package var window: Int64

            /// Creates the parameters.
            package init(id: String, window: Int64) {
                self.id = id
                self.window = window
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The change on trial, with the new window.
            package var trial: Trial

            /// Creates the reply.
            package init(trial: Trial) {
                self.trial = trial
            }
        }
    }

    /// The end of a trial.
    package struct End: Codable, Hashable, Sendable {
        /// The transaction's id.
        package var id: String
        /// The store's id.
        package var store: String
        /// The confirmed generation, or the one that undid it.
        package var generation: Int64
        /// The outcome.
        package var state: State
        /// The results of the adapters in the revert.
        package var results: [AdapterResult]
        /// The reason why it was undone, or the probes that confirmed it; nil if that is not known.
        package var reason: String?

        /// Creates the reply.
        package init(
            id: String, store: String, generation: Int64, state: State, results: [AdapterResult] = [],
            reason: String? = nil
        ) {
            self.id = id
            self.store = store
            self.generation = generation
            self.state = state
            self.results = results
            self.reason = reason
        }

        /// The outcome of a trial.
        package enum State: String, Codable, Hashable, Sendable, CaseIterable {
            /// The change is confirmed.
            case confirmed
            /// The change is undone, and the former state is restored.
            case reverted
        }
    }
}
