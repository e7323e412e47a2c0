extension FilesInterface {
    /// Starts an upload, or resumes one.
    package enum Begin: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Begin"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The id, chosen by the client; with the same id an interrupted upload is resumed.
            package var id: String
            /// The area.
            package var area: String
            /// The target path of the file.
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

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The offset at which the upload continues, in bytes.
            package var offset: Int64

            /// Creates the reply.
            package init(offset: Int64) {
                self.offset = offset
            }
        }
    }

    /// Adds a piece to an upload.
    package enum Write: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Write"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The id.
            package var id: String
            /// The offset of the piece in the file, in bytes.
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

        /// The reply to a call.
        package typealias Reply = Begin.Reply
    }

    /// Commits an upload: moves the complete file to its target path.
    package enum Commit: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Commit"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The id.
            package var id: String
            /// The permissions, in octal digits; nil for those of the replaced file, or `0640` if there is none.
            package var mode: String?

            /// Creates the parameters.
            package init(id: String, mode: String? = nil) {
                self.id = id
                self.mode = mode
            }
        }

        /// The entry at the target path.
        package typealias Reply = Result
    }

    /// Cancels an upload.
    package enum Abort: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Abort"
        /// The id of the upload, and its user if it is not the caller's own.
        package struct Parameters: Codable, Hashable, Sendable {
            /// The id.
            package var id: String
            /// The user id of the upload's client; nil for the caller.
            package var user: Int?

            /// Creates the parameters.
            package init(id: String, user: Int? = nil) {
                self.id = id
                self.user = user
            }
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {

            /// Creates the reply.
            package init() {}
        }
    }

    /// Lists the uploads that are not committed yet.
    package enum Uploads: APIMethod {
        /// The fully qualified name.
        package static let name = "dev.cleat.Files.Uploads"

        /// The parameters of a call.
        package struct Parameters: Codable, Hashable, Sendable {

            /// Creates the parameters.
            package init() {}
        }

        /// The reply to a call.
        package struct Reply: Codable, Hashable, Sendable {
            /// The uploads, in order of their ids.
            package var uploads: [FileUpload]

            /// Creates the reply.
            package init(uploads: [FileUpload]) {
                self.uploads = uploads
            }
        }
    }
}
