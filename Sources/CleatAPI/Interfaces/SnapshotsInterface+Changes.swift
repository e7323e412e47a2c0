extension SnapshotsInterface {
    /// Compares a snapshot with another one, or with the present state.
    package enum Diff: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Diff"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name of the first snapshot.
            package var name: String
            /// The name of the second snapshot; nil for the present state.
            package var other: String?

            /// Creates the parameters.
            package init(name: String, other: String? = nil) {
                self.name = name
                self.other = other
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The changes of the settings from the first state to the second.
            package var changes: [ChangeRecord]
            /// The number of further changes, which do not fit into the message; nil if there are none.
            package var omitted: Int?
            /// The resources that differ, or may differ.
            package var resources: [ResourceDifference]

            /// Creates the reply.
            package init(changes: [ChangeRecord], omitted: Int? = nil, resources: [ResourceDifference]) {
                self.changes = changes
                self.omitted = omitted
                self.resources = resources
            }
        }
    }

    /// Restores the committed settings of a snapshot, as a new generation.
    package enum Restore: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Restore"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name of the snapshot.
            package var name: String
            /// True if resources that still differ from the snapshot after the adapters have run are restored, too.
            package var files: Bool?
            /// The transaction's id, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The state that the restore expects; another state is a conflict.
            package var expect: GenerationRef?
            /// The author's comment.
            package var comment: String?
            /// True if the change is only checked, and nothing is written.
            package var check: Bool?
            /// The confirm window in milliseconds; nil if the change is not on trial.
            package var confirm: Int64?
            /// The probes that confirm the change once they hold.
            package var until: [String]?

            /// Creates the parameters.
            package init(
                name: String, files: Bool? = nil, id: String? = nil, expect: GenerationRef? = nil,
                comment: String? = nil, check: Bool? = nil, confirm: Int64? = nil, until: [String]? = nil
            ) {
                self.name = name
                self.files = files
                self.id = id
                self.expect = expect
                self.comment = comment
                self.check = check
                self.confirm = confirm
                self.until = until
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The outcome of the change.
            package var change: SettingsInterface.Set.Reply
            /// The resources that differ from the snapshot; empty for a check.
            package var differing: [String]
            /// The number of settings and resources that stay as they are, because the imported snapshot omits them.
            package var kept: Int?
            /// The resources that would be restored in addition; only for a check with `files`.
            package var files: [SnapshotResource]?

            /// Creates the reply.
            package init(
                change: SettingsInterface.Set.Reply, differing: [String], kept: Int? = nil,
                files: [SnapshotResource]? = nil
            ) {
                self.change = change
                self.differing = differing
                self.kept = kept
                self.files = files
            }
        }
    }

    /// Deletes a snapshot.
    package enum Delete: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Delete"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name of the snapshot.
            package var name: String

            /// Creates the parameters.
            package init(name: String) { self.name = name }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The size of the deleted objects, in bytes.
            package var freed: Int64

            /// Creates the reply.
            package init(freed: Int64) { self.freed = freed }
        }
    }

    /// Exports a snapshot as the text of a file, in several replies.
    package enum Export: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Export"

        /// The parameters of a call.
        package typealias Parameters = Delete.Parameters

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The next lines of the file.
            package var text: String
            /// The settings and resources that the export omits; only in the last reply.
            package var omitted: [String]?

            /// Creates the reply.
            package init(text: String, omitted: [String]? = nil) {
                self.text = text
                self.omitted = omitted
            }
        }
    }

    /// Imports an exported snapshot from a file.
    package enum Import: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Import"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area of the file.
            package var area: String
            /// The file's path in the area.
            package var path: String
            /// The new name of the snapshot; nil for that in the export.
            package var name: String?

            /// Creates the parameters.
            package init(area: String, path: String, name: String? = nil) {
                self.area = area
                self.path = path
                self.name = name
            }
        }

        /// The reply to a call.
        package typealias Reply = Create.Reply
    }
}
