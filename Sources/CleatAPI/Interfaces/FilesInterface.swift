/// The files of one board, in four areas: `dev.cleat.Files`.
package enum FilesInterface {
    /// The interface's name on the wire.
    package static let name = "dev.cleat.Files"

    /// Names a file, or what else stands at a path of an area.
    package struct Place: Codable, Hashable, Sendable {
        /// The area.
        package var area: String
        /// The path in it; empty for the area itself.
        package var path: String

        /// Creates a name.
        package init(area: String, path: String) {
            self.area = area
            self.path = path
        }
    }

    /// Lists the areas.
    package enum Areas: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Areas"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {

            /// Creates the parameters.
            package init() {}
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The areas, in order of their names.
            package var areas: [FileArea]

            /// Creates the reply.
            package init(areas: [FileArea]) {
                self.areas = areas
            }
        }
    }

    /// Lists what stands in a directory.
    package enum List: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.List"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The directory; nil is the area itself.
            package var path: String?
            /// Whether what stands below is listed, too.
            package var recursive: Bool?
            /// The path to go on after.
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

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The entries, in order of their paths' bytes.
            package var entries: [FileInfo]
            /// How many names there are that no path can hold.
            package var skipped: Int?
            /// Where the next page goes on, if there is one.
            package var next: String?

            /// Creates the reply.
            package init(entries: [FileInfo], skipped: Int? = nil, next: String? = nil) {
                self.entries = entries
                self.skipped = skipped
                self.next = next
            }
        }
    }

    /// Tells what stands at a path.
    package enum Stat: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Stat"
        /// Names what is asked for.
        package typealias Parameters = Place

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// What stands there.
            package var entry: FileInfo
            /// Names this content; another one once the file has changed.
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

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The path in it.
            package var path: String
            /// Where the piece begins, in bytes.
            package var offset: Int64
            /// The largest number of bytes; nil is as many as there may be.
            package var length: Int?
            /// The content that is meant: another one is refused.
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

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The piece, in base64; empty at the end of the file.
            package var data: String
            /// The size of the whole file, in bytes.
            package var size: Int64
            /// Names this content.
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

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The area.
            package var area: String
            /// The path in it.
            package var path: String
            /// The content that is meant: another one is refused.
            package var token: String?

            /// Creates the parameters.
            package init(area: String, path: String, token: String? = nil) {
                self.area = area
                self.path = path
                self.token = token
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The digest, in 64 lower-case hexadecimal digits.
            package var sha256: String
            /// The size of the file, in bytes.
            package var size: Int64
            /// Names this content.
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
