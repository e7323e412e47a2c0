/// The typed settings of one board: `dev.cleat.Settings`.
package enum SettingsInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Settings"

    /// Reads one path.
    package enum Get: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Get"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The path.
            package var path: String
            /// True if secrets are to be included; only root and the service's own user may request them.
            package var reveal: Bool?
            /// True if the schema's default is requested, even if the path is set.
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

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The last generation at the time of the reply.
            package var generation: Int64
            /// True if the path is a leaf; otherwise the value is the object of all settings under it.
            package var leaf: Bool
            /// The value of the path, and its origin.
            package var setting: SettingInfo
            /// A note that the path goes through a missing entry of a map, with the name that may be meant; nil
            /// otherwise.
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

    /// Lists the leaves under a prefix.
    package enum List: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.List"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The prefix; nil for the whole tree.
            package var prefix: String?
            /// True if paths with only a default are listed, too; nil means true.
            package var defaults: Bool?
            /// The path to continue after.
            package var after: String?
            /// True if secrets are to be included; only root and the service's own user may request them.
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

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The last generation at the time of the reply.
            package var generation: Int64
            /// The leaves, in order of their paths' bytes.
            package var settings: [SettingInfo]
            /// The `after` of the next page; nil if this is the last one.
            package var next: String?
            /// A note that the prefix goes through a missing entry of a map, with the name that may be meant; nil
            /// otherwise.
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

    /// Describes the valid values of the paths under a prefix.
    package enum Describe: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Describe"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The prefix; nil for the whole tree.
            package var prefix: String?

            /// Creates the parameters.
            package init(prefix: String? = nil) {
                self.prefix = prefix
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The descriptions, in order of their paths' bytes.
            package var descriptions: [SettingDescription]
            /// The groups that have a title or a description in a schema, in order of their paths' bytes.
            package var groups: [GroupDescription]?

            /// Creates the reply.
            package init(descriptions: [SettingDescription], groups: [GroupDescription]? = nil) {
                self.descriptions = descriptions
                self.groups = groups
            }
        }
    }

    /// Commits changes, all or none of them.
    package enum Set: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Set"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The changes.
            package var changes: [RequestedChange]
            /// The transaction's id, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The state that the changes expect; another state is a conflict.
            package var expect: GenerationRef?
            /// The author's comment.
            package var comment: String?
            /// True if the changes last only until the next boot.
            package var volatile: Bool?
            /// True if the changes are only checked, and nothing is written.
            package var check: Bool?
            /// The confirm window in milliseconds; nil if the change is not on trial.
            package var confirm: Int64?
            /// True if the reply has the plan of the changes, and nothing is written.
            package var plan: Bool?
            /// True if the changes are made and undone at once.
            package var rehearse: Bool?
            /// The probes that confirm the change once they hold.
            package var until: [String]?
            /// The ids of complete, uncommitted uploads with the contents that settings below `documents` refer to.
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

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The transaction's id.
            package var id: String
            /// The store's id.
            package var store: String
            /// The generation with the changes.
            package var generation: Int64
            /// The outcome of the changes.
            package var state: CommitState
            /// The changes, in order of the paths.
            package var changes: [ChangeRecord]
            /// The results of the adapters.
            package var results: [AdapterResult]
            /// The number of further changes, which do not fit into the message; nil if there are none.
            package var omitted: Int?
            /// True if only volatile values changed, so that no generation was made; ``generation`` is the last one.
            package var volatile: Bool?
            /// The confirm window in milliseconds; nil if the change is not on trial.
            package var window: Int64?
            /// The plan; nil if it was not requested.
            package var plan: ChangePlan?
            /// The state of each resource after a rehearsal; nil if it was not requested.
            package var rehearsal: [RehearsedStep]?
            /// The probes that confirm the change once they hold; nil if it is not on trial.
            package var probes: [ProbeReport]?
            /// A note that a change with this id was made before and a part of it was changed since; nil otherwise.
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

    /// Sends the settings under prefixes and their changes; only with `more`.
    package enum Watch: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Settings.Watch"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The prefixes; empty for the whole tree.
            package var prefixes: [String]

            /// Creates the parameters.
            package init(prefixes: [String] = []) {
                self.prefixes = prefixes
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The last generation at the time of the reply.
            package var generation: Int64
            /// True if this is the current state and not a commit.
            package var initial: Bool
            /// The settings that have a value.
            package var settings: [SettingInfo]
            /// The paths that were unset and have no default.
            package var removed: [String]
            /// The number of earlier commits that this reply includes, because the client read too slowly.
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

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The generation to list from, without itself; nil for the newest.
            package var before: Int64?
            /// The largest number of generations.
            package var limit: Int?
            /// The id of a change: only its generation is listed.
            package var id: String?

            /// Creates the parameters.
            package init(before: Int64? = nil, limit: Int? = nil, id: String? = nil) {
                self.before = before
                self.limit = limit
                self.id = id
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The generations.
            package var generations: [Generation]
            /// The `before` of the next page; nil if this is the last one.
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

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The older generation; nil for the one before `to`.
            package var from: Int64?
            /// The newer generation; nil for the last one.
            package var to: Int64?

            /// Creates the parameters.
            package init(from: Int64? = nil, to: Int64? = nil) {
                self.from = from
                self.to = to
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The store's id.
            package var store: String
            /// The older generation.
            package var from: Int64
            /// The newer generation.
            package var to: Int64
            /// The differences, in order of the paths.
            package var changes: [ChangeRecord]
            /// The number of further changes, which do not fit into the message; nil if there are none.
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
