/// Snapshots: `dev.cleat.Snapshots`.
package enum SnapshotsInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Snapshots"

    /// Creates a snapshot of the confirmed settings, and of the state of the system.
    package enum Create: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Create"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name of the snapshot.
            package var name: String
            /// The author's comment.
            package var comment: String?

            /// Creates the parameters.
            package init(name: String, comment: String? = nil) {
                self.name = name
                self.comment = comment
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The snapshot.
            package var snapshot: SnapshotInfo

            /// Creates the reply.
            package init(snapshot: SnapshotInfo) { self.snapshot = snapshot }
        }
    }

    /// Lists the snapshots.
    package enum List: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.List"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// Creates the parameters.
            package init() {}
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The snapshots, in the order in which they were made.
            package var snapshots: [SnapshotInfo]
            /// The size of all their objects, each counted once, in bytes.
            package var bytes: Int64
            /// The maximum number of snapshots.
            package var limit: Int
            /// The maximum size of all objects, in bytes.
            package var limitBytes: Int64

            /// Creates the reply.
            package init(snapshots: [SnapshotInfo], bytes: Int64, limit: Int, limitBytes: Int64) {
                self.snapshots = snapshots
                self.bytes = bytes
                self.limit = limit
                self.limitBytes = limitBytes
            }

            private enum CodingKeys: String, CodingKey {
                case snapshots
                case bytes
                case limit
                case limitBytes = "limit_bytes"
            }
        }
    }

    /// Returns the contents of a snapshot, in pages; before the first page, all of it is read and compared with its
    /// hashes.
    package enum Show: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Show"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name of the snapshot.
            package var name: String
            /// The number of settings and resources on the earlier pages.
            package var offset: Int?

            /// Creates the parameters.
            package init(name: String, offset: Int? = nil) {
                self.name = name
                self.offset = offset
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The snapshot.
            package var snapshot: SnapshotInfo
            /// The settings, in order of their paths' bytes.
            package var settings: [SnapshotSettingInfo]
            /// The resources, in order of their names' bytes; they follow after all settings.
            package var resources: [SnapshotResource]
            /// The `offset` of the next page; nil if this is the last one.
            package var next: Int?

            /// Creates the reply.
            package init(
                snapshot: SnapshotInfo, settings: [SnapshotSettingInfo], resources: [SnapshotResource],
                next: Int? = nil
            ) {
                self.snapshot = snapshot
                self.settings = settings
                self.resources = resources
                self.next = next
            }
        }
    }
}
