extension SnapshotsInterface {
    /// Compares a snapshot with another one, or with what is now.
    package enum Diff: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Diff"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name of the one.
            package var name: String
            /// The name of the other; nil for what is now.
            package var other: String?

            /// Creates the parameters.
            package init(name: String, other: String? = nil) {
                self.name = name
                self.other = other
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// How the settings change from the one to the other.
            package var changes: [ChangeRecord]
            /// How many more changes there are than a message has room for.
            package var omitted: Int?
            /// Which resources are not the same.
            package var resources: [ResourceDifference]

            /// Creates the reply.
            package init(changes: [ChangeRecord], omitted: Int? = nil, resources: [ResourceDifference]) {
                self.changes = changes
                self.omitted = omitted
                self.resources = resources
            }
        }
    }

    /// Makes the committed settings those of a snapshot again, as a new generation.
    package enum Restore: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Restore"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name.
            package var name: String
            /// Whether resources that are not what they were then, once the adapters are done, are brought back, too.
            package var files: Bool?
            /// The transaction's id, chosen by the client: a retry with it is safe.
            package var id: String?
            /// The state that the change was asked for.
            package var expect: GenerationRef?
            /// What the author says about it.
            package var comment: String?
            /// Whether all is done but the change itself.
            package var check: Bool?
            /// How long the change is on trial, in milliseconds; nil where it is no trial.
            package var confirm: Int64?
            /// The probes that confirm it once they hold.
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

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// What became of the change.
            package var change: SettingsInterface.Set.Reply
            /// The resources that are not what they were when the snapshot was made.
            package var differing: [String]
            /// How many settings and resources stay as they are, because they were left out of an export.
            package var kept: Int?
            /// What would be brought back besides, where that was asked for and nothing is changed.
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

    /// Takes a snapshot away.
    package enum Delete: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Delete"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name.
            package var name: String

            /// Creates the parameters.
            package init(name: String) { self.name = name }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The bytes of the objects that went with it.
            package var freed: Int64

            /// Creates the reply.
            package init(freed: Int64) { self.freed = freed }
        }
    }

    /// Gives a snapshot as a file, in several replies.
    package enum Export: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Export"

        /// Holds what a call carries.
        package typealias Parameters = Delete.Parameters

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The next lines of the file.
            package var text: String
            /// With the last reply: the settings and resources that were left out.
            package var omitted: [String]?

            /// Creates the reply.
            package init(text: String, omitted: [String]? = nil) {
                self.text = text
                self.omitted = omitted
            }
        }
    }

    /// Takes a snapshot in that was exported.
    package enum Import: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Import"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area that the file lies in.
            package var area: String
            /// The file's path in it.
            package var path: String
            /// The name to take; nil for that which it has.
            package var name: String?

            /// Creates the parameters.
            package init(area: String, path: String, name: String? = nil) {
                self.area = area
                self.path = path
                self.name = name
            }
        }

        /// Holds what a reply carries.
        package typealias Reply = Create.Reply
    }
}
