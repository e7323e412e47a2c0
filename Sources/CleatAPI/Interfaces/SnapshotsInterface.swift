/// Snapshots: `dev.cleat.Snapshots`.
package enum SnapshotsInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Snapshots"

    /// Makes a snapshot of the settings that are confirmed, and of what the system is.
    package enum Create: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Create"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name.
            package var name: String
            /// Why it is made.
            package var comment: String?

            /// Creates the parameters.
            package init(name: String, comment: String? = nil) {
                self.name = name
                self.comment = comment
            }
        }

        /// Holds what a reply carries.
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

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// Creates the parameters.
            package init() {}
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The snapshots, in the order in which they were made.
            package var snapshots: [SnapshotInfo]
            /// The bytes of all their objects, each counted once.
            package var bytes: Int64
            /// How many there may be.
            package var limit: Int
            /// How many bytes there may be.
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

    /// Tells what a snapshot holds, page by page, after all of it was read and compared with its hashes.
    package enum Show: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Snapshots.Show"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The name.
            package var name: String
            /// How many settings and resources the pages before held.
            package var offset: Int?

            /// Creates the parameters.
            package init(name: String, offset: Int? = nil) {
                self.name = name
                self.offset = offset
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The snapshot.
            package var snapshot: SnapshotInfo
            /// Settings, in order of their paths' bytes.
            package var settings: [SnapshotSettingInfo]
            /// Resources, in order of their names' bytes, once all settings are told.
            package var resources: [SnapshotResource]
            /// Where the next page goes on, if there is one.
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
