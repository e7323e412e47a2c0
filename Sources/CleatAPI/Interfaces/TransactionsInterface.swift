/// The change that is on trial: `dev.cleat.Transactions`.
package enum TransactionsInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Transactions"

    /// Tells which change is on trial.
    package enum Pending: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Pending"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// Creates the parameters.
            package init() {}
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The change on trial; nil where there is none.
            package var trial: Trial?
            /// By which addresses the board is reached; nil where the change does not touch the caller's interface.
            package var reach: Reach?

            /// Creates the reply.
            package init(trial: Trial? = nil, reach: Reach? = nil) {
                self.trial = trial
                self.reach = reach
            }
        }
    }

    /// Keeps the change that is on trial.
    package enum Confirm: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Confirm"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The transaction's id.
            package var id: String

            /// Creates the parameters.
            package init(id: String) {
                self.id = id
            }
        }

        /// Holds what a reply carries.
        package typealias Reply = End
    }

    /// Undoes the change that is on trial.
    package enum Abort: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Abort"

        /// Holds what a call carries.
        package typealias Parameters = Confirm.Parameters

        /// Holds what a reply carries.
        package typealias Reply = End
    }

    /// Waits until the change on trial has ended.
    package enum Wait: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Wait"

        /// Holds what a call carries.
        package typealias Parameters = Confirm.Parameters

        /// Holds what a reply carries.
        package typealias Reply = End
    }

    /// Sets how long the change on trial waits from now on.
    package enum Extend: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Transactions.Extend"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The transaction's id.
            package var id: String
            /// How long it waits, in milliseconds from now.
            package var window: Int64

            /// Creates the parameters.
            package init(id: String, window: Int64) {
                self.id = id
                self.window = window
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The change on trial, as it is now.
            package var trial: Trial

            /// Creates the reply.
            package init(trial: Trial) {
                self.trial = trial
            }
        }
    }

    /// Says how a trial ended.
    package struct End: Codable, Hashable, Sendable {
        /// The transaction's id.
        package var id: String
        /// The store's id.
        package var store: String
        /// The last generation now: the one that was on trial, or the one that undid it.
        package var generation: Int64
        /// How it ended.
        package var state: State
        /// What the adapters did on the way back.
        package var results: [AdapterResult]
        /// Why it was undone, or what has confirmed it; nil where that is not known any more.
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

        /// How a trial ended.
        package enum State: String, Codable, Hashable, Sendable, CaseIterable {
            /// It is kept.
            case confirmed
            /// All is as it was before.
            case reverted
        }
    }
}
