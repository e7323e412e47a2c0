/// The typed settings of one board: `dev.cleat.Settings`.
package enum SettingsInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Settings"

    /// Reads one path.
    package enum Get: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Get"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The path.
            package var path: String
            /// Whether secrets are told, too: only to root and the service's own user.
            package var reveal: Bool?
            /// Whether the schema's default is asked for, whatever is set.
            package var asksForDefault: Bool?

            /// Creates the parameters.
            package init(path: String, reveal: Bool? = nil, asksForDefault: Bool? = nil) {
                self.path = path
                self.reveal = reveal
                self.asksForDefault = asksForDefault
            }

            private enum CodingKeys: String, CodingKey {
                case path
                case reveal
                case asksForDefault = "default"
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The generation that answers.
            package var generation: Int64
            /// Whether the path is a leaf; otherwise the value is the object of all that stands under it.
            package var leaf: Bool
            /// What the path holds.
            package var setting: SettingInfo
            /// That the path goes through an entry of a map that is not there, and which one may be meant.
            package var note: String?

            /// Creates the reply.
            package init(store: String, generation: Int64, leaf: Bool, setting: SettingInfo, note: String? = nil) {
                self.store = store
                self.generation = generation
                self.leaf = leaf
                self.setting = setting
                self.note = note
            }
        }
    }

    /// Lists leaves under a prefix.
    package enum List: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.List"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The prefix; nil is the whole tree.
            package var prefix: String?
            /// Whether mere defaults are listed, too.
            package var defaults: Bool?
            /// The path to go on after.
            package var after: String?
            /// Whether secrets are told, too: only to root and the service's own user.
            package var reveal: Bool?

            /// Creates the parameters.
            package init(
                prefix: String? = nil, defaults: Bool? = nil, after: String? = nil, reveal: Bool? = nil
            ) {
                self.prefix = prefix
                self.defaults = defaults
                self.after = after
                self.reveal = reveal
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The generation that answers.
            package var generation: Int64
            /// The leaves, in order of their paths' bytes.
            package var settings: [SettingInfo]
            /// Where the next page goes on, if there is one.
            package var next: String?
            /// That the prefix goes through an entry of a map that is not there, and which one may be meant.
            package var note: String?

            /// Creates the reply.
            package init(
                store: String, generation: Int64, settings: [SettingInfo], next: String? = nil, note: String? = nil
            ) {
                self.store = store
                self.generation = generation
                self.settings = settings
                self.next = next
                self.note = note
            }
        }
    }

    /// Describes what the paths under a prefix may hold.
    package enum Describe: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Describe"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The prefix; nil is the whole tree.
            package var prefix: String?

            /// Creates the parameters.
            package init(prefix: String? = nil) {
                self.prefix = prefix
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The descriptions, in order of their paths' bytes.
            package var descriptions: [SettingDescription]
            /// What the groups are called that a schema has words about, in order of their paths' bytes.
            package var groups: [GroupDescription]?

            /// Creates the reply.
            package init(descriptions: [SettingDescription], groups: [GroupDescription]? = nil) {
                self.descriptions = descriptions
                self.groups = groups
            }
        }
    }

    /// Commits changes, all or none.
    package enum Set: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Set"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The changes.
            package var changes: [RequestedChange]
            /// The transaction's id, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The state that the changes were made for.
            package var expect: GenerationRef?
            /// What the author says about it.
            package var comment: String?
            /// Whether the changes last until the next boot only.
            package var volatile: Bool?
            /// Whether the changes are only checked, and nothing is written.
            package var check: Bool?
            /// How long the change is on trial, in milliseconds; nil where it is no trial.
            package var confirm: Int64?
            /// Whether the answer says what the changes would do, and nothing is written.
            package var plan: Bool?
            /// Whether the changes are made and undone at once.
            package var rehearse: Bool?
            /// The probes that confirm it once they hold.
            package var until: [String]?
            /// The ids of whole uploads, not committed, that hold what settings below `documents` name.
            package var uploads: [String]?

            /// Creates the parameters.
            package init(
                changes: [RequestedChange], id: String? = nil, expect: GenerationRef? = nil, comment: String? = nil,
                volatile: Bool? = nil, check: Bool? = nil, confirm: Int64? = nil, plan: Bool? = nil,
                rehearse: Bool? = nil, until: [String]? = nil, uploads: [String]? = nil
            ) {
                self.uploads = uploads
                self.changes = changes
                self.id = id
                self.expect = expect
                self.comment = comment
                self.volatile = volatile
                self.check = check
                self.confirm = confirm
                self.plan = plan
                self.rehearse = rehearse
                self.until = until
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The transaction's id.
            package var id: String
            /// The store's id.
            package var store: String
            /// The generation that holds the changes.
            package var generation: Int64
            /// What became of the changes.
            package var state: CommitState
            /// What changed, in order of the paths.
            package var changes: [ChangeRecord]
            /// What the adapters did.
            package var results: [AdapterResult]
            /// How many more changes there are than a message has room for.
            package var omitted: Int?
            /// Whether only volatile values changed, so that no generation was made: the one named is the last.
            package var volatile: Bool?
            /// How long the change is on trial, in milliseconds, where it is.
            package var window: Int64?
            /// What the changes would do, where that was asked for.
            package var plan: ChangePlan?
            /// How each thing of the system is after a rehearsal.
            package var rehearsal: [RehearsedStep]?
            /// The probes that confirm it once they hold, where it is on trial.
            package var probes: [ProbeReport]?
            /// What became of it, where it was made under this id before and something of it is not so any more.
            package var overtaken: String?

            /// Creates the reply.
            package init(
                id: String, store: String, generation: Int64, state: CommitState, changes: [ChangeRecord],
                results: [AdapterResult] = [], omitted: Int? = nil, volatile: Bool? = nil, window: Int64? = nil,
                plan: ChangePlan? = nil, rehearsal: [RehearsedStep]? = nil, probes: [ProbeReport]? = nil
            ) {
                self.id = id
                self.store = store
                self.generation = generation
                self.state = state
                self.changes = changes
                self.results = results
                self.omitted = omitted
                self.volatile = volatile
                self.window = window
                self.plan = plan
                self.rehearsal = rehearsal
                self.probes = probes
            }
        }
    }

    /// Follows the settings under prefixes; only with `more`.
    package enum Watch: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Watch"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The prefixes; none is the whole tree.
            package var prefixes: [String]

            /// Creates the parameters.
            package init(prefixes: [String] = []) {
                self.prefixes = prefixes
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The generation that answers.
            package var generation: Int64
            /// Whether this is the current state and not a commit.
            package var initial: Bool
            /// What was set.
            package var settings: [SettingInfo]
            /// What was unset and has no default.
            package var removed: [String]
            /// How many replies were dropped because the client read too slowly.
            package var lost: Int64?

            /// Creates the reply.
            package init(
                store: String, generation: Int64, initial: Bool, settings: [SettingInfo] = [],
                removed: [String] = [], lost: Int64? = nil
            ) {
                self.store = store
                self.generation = generation
                self.initial = initial
                self.settings = settings
                self.removed = removed
                self.lost = lost
            }
        }
    }

    /// Lists generations, the newest first.
    package enum Log: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Log"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The generation to start below.
            package var before: Int64?
            /// The largest number of generations.
            package var limit: Int?
            /// The id of the change that is looked for; then there is no other generation.
            package var id: String?

            /// Creates the parameters.
            package init(before: Int64? = nil, limit: Int? = nil, id: String? = nil) {
                self.before = before
                self.limit = limit
                self.id = id
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The generations.
            package var generations: [Generation]
            /// The `before` of the next page, if there is one.
            package var next: Int64?

            /// Creates the reply.
            package init(store: String, generations: [Generation], next: Int64? = nil) {
                self.store = store
                self.generations = generations
                self.next = next
            }
        }
    }

    /// Compares two generations.
    package enum Diff: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Diff"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The older one; nil is the one before `to`.
            package var from: Int64?
            /// The newer one; nil is the last.
            package var to: Int64?

            /// Creates the parameters.
            package init(from: Int64? = nil, to: Int64? = nil) {
                self.from = from
                self.to = to
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The older generation.
            package var from: Int64
            /// The newer generation.
            package var to: Int64
            /// What differs, in order of the paths.
            package var changes: [ChangeRecord]
            /// How many more changes there are than a message has room for.
            package var omitted: Int?

            /// Creates the reply.
            package init(store: String, from: Int64, to: Int64, changes: [ChangeRecord], omitted: Int? = nil) {
                self.store = store
                self.from = from
                self.to = to
                self.changes = changes
                self.omitted = omitted
            }
        }
    }
}
