extension FilesInterface {
    /// Begins a file, or goes on with one.
    package enum Begin: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Begin"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The id, chosen by the client: with the same one a put goes on where it was cut off.
            package var id: String
            /// The area.
            package var area: String
            /// The path at which the file will stand.
            package var path: String
            /// The size, in bytes.
            package var size: Int64
            /// The SHA-256 of the whole content, in hexadecimal digits.
            package var sha256: String

            /// Creates the parameters.
            package init(id: String, area: String, path: String, size: Int64, sha256: String) {
                self.id = id
                self.area = area
                self.path = path
                self.size = size
                self.sha256 = sha256
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// Where the content goes on, in bytes.
            package var offset: Int64

            /// Creates the reply.
            package init(offset: Int64) {
                self.offset = offset
            }
        }
    }

    /// Adds a piece to a file on its way.
    package enum Write: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Write"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The id.
            package var id: String
            /// Where the piece begins, in bytes.
            package var offset: Int64
            /// The piece, in base64.
            package var data: String

            /// Creates the parameters.
            package init(id: String, offset: Int64, data: String) {
                self.id = id
                self.offset = offset
                self.data = data
            }
        }

        /// Holds what a reply carries.
        package typealias Reply = Begin.Reply
    }

    /// Puts a file in its place.
    package enum Commit: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Commit"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The id.
            package var id: String
            /// The permissions, in octal digits; nil for those of the file that is replaced, or `0640`.
            package var mode: String?

            /// Creates the parameters.
            package init(id: String, mode: String? = nil) {
                self.id = id
                self.mode = mode
            }
        }

        /// Tells what stands at the path now.
        package typealias Reply = Result
    }

    /// Gives up a file on its way.
    package enum Abort: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Abort"
        /// Names the file, and whose it is where it is not the caller's.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The id.
            package var id: String
            /// The number of the user who sends it; nil for the caller.
            package var user: Int?

            /// Creates the parameters.
            package init(id: String, user: Int? = nil) {
                self.id = id
                self.user = user
            }
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {

            /// Creates the reply.
            package init() {}
        }
    }

    /// Lists the files on their way.
    package enum Uploads: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Uploads"

        /// Holds what a call carries.
        package struct Parameters: Codable, Hashable, Sendable {

            /// Creates the parameters.
            package init() {}
        }

        /// Holds what a reply carries.
        package struct Reply: Codable, Hashable, Sendable {
            /// The files on their way, in order of their ids.
            package var uploads: [FileUpload]

            /// Creates the reply.
            package init(uploads: [FileUpload]) {
                self.uploads = uploads
            }
        }
    }
}
