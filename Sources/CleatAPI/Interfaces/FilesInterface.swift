/// The files of one board, in four areas: `dev.cleat.Files`.
package enum FilesInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Files"

    /// A path of an area.
    package struct Place: Codable, Hashable, Sendable {
        /// The area.
        package var area: String
        /// The path in the area; empty for the area itself.
        package var path: String

        /// Creates a place.
        package init(area: String, path: String) {
            self.area = area
            self.path = path
        }
    }

    /// Lists the areas.
    package enum Areas: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Areas"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {

            /// Creates the parameters.
            package init() {}
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The areas, in order of their names.
            package var areas: [FileArea]

            /// Creates the reply.
            package init(areas: [FileArea]) {
                self.areas = areas
            }
        }
    }

    /// Lists the entries of a directory.
    package enum List: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.List"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The directory; nil for the area itself.
            package var path: String?
            /// True if subdirectories are listed, too.
            package var recursive: Bool?
            /// The path to continue after.
            package var after: String?
            /// The largest number of entries in one reply.
            package var limit: Int?

            /// Creates the parameters.
            package init(
                area: String, path: String? = nil, recursive: Bool? = nil, after: String? = nil, limit: Int? = nil
            ) {
                self.area = area
                self.path = path
                self.recursive = recursive
                self.after = after
                self.limit = limit
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The entries, in order of their paths' bytes.
            package var entries: [FileInfo]
            /// The number of skipped names that are not valid in a path.
            package var skipped: Int?
            /// The `after` of the next page; nil if this is the last one.
            package var next: String?

            /// Creates the reply.
            package init(entries: [FileInfo], skipped: Int? = nil, next: String? = nil) {
                self.entries = entries
                self.skipped = skipped
                self.next = next
            }
        }
    }

    /// Returns the entry at a path.
    package enum Stat: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Stat"
        /// The path of the entry.
        package typealias Parameters = Place

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The entry.
            package var entry: FileInfo
            /// The token of this content; it changes with the file.
            package var token: String

            /// Creates the reply.
            package init(entry: FileInfo, token: String) {
                self.entry = entry
                self.token = token
            }
        }
    }

    /// Reads a piece of a file.
    package enum Read: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Read"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The path in the area.
            package var path: String
            /// The offset of the piece in the file, in bytes.
            package var offset: Int64
            /// The largest number of bytes; nil for ``APILimits/piece``.
            package var length: Int?
            /// The token of the expected content, from an earlier reply; the call fails if the file has changed since.
            package var token: String?

            /// Creates the parameters.
            package init(area: String, path: String, offset: Int64, length: Int? = nil, token: String? = nil) {
                self.area = area
                self.path = path
                self.offset = offset
                self.length = length
                self.token = token
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The piece, in base64; empty at the end of the file.
            package var data: String
            /// The size of the whole file, in bytes.
            package var size: Int64
            /// The token of this content; it changes with the file.
            package var token: String

            /// Creates the reply.
            package init(data: String, size: Int64, token: String) {
                self.data = data
                self.size = size
                self.token = token
            }
        }
    }

    /// Computes the SHA-256 of a whole file.
    package enum Hash: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Hash"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The path in the area.
            package var path: String
            /// The token of the expected content, from an earlier reply; the call fails if the file has changed since.
            package var token: String?

            /// Creates the parameters.
            package init(area: String, path: String, token: String? = nil) {
                self.area = area
                self.path = path
                self.token = token
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The digest, in 64 lower-case hexadecimal digits.
            package var sha256: String
            /// The size of the file, in bytes.
            package var size: Int64
            /// The token of this content; it changes with the file.
            package var token: String

            /// Creates the reply.
            package init(sha256: String, size: Int64, token: String) {
                self.sha256 = sha256
                self.size = size
                self.token = token
            }
        }
    }
}
