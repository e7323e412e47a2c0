/// An error of `dev.cleat.Files`: its kind and its subject.
///
/// Only the fields that its kind has on the wire are set; the others are empty.
package struct FilesError: Error, Equatable, Sendable {
    /// The kind of the error.
    package var kind: Kind
    /// The area.
    package var area = ""
    /// The path in the area.
    package var path = ""
    /// The reason as one word: `not_empty`.
    package var reason = ""
    /// The resource of the quota: `bytes` or `files`.
    package var resource = ""
    /// The id of an upload.
    package var id = ""
    /// The SHA-256 that the client announced.
    package var expected = ""
    /// The SHA-256 of the received content.
    package var found = ""
    /// The used part of the quota, including the part that is reserved for uploads.
    package var used: Int64 = 0
    /// The limit.
    package var limit: Int64 = 0
    /// The additional part of the quota that the request needs.
    package var asked: Int64 = 0
    /// The offset at which an upload continues, in bytes.
    package var offset: Int64 = 0
    /// The error as one sentence.
    package var message: String

    /// Creates an error about a file or an area.
    package init(_ kind: Kind, area: String = "", path: String = "", reason: String = "", message: String) {
        self.kind = kind
        self.area = area
        self.path = path
        self.reason = reason
        self.message = message
    }

    /// Creates an error about an upload.
    package init(_ kind: Kind, id: String, message: String) {
        self.kind = kind
        self.id = id
        self.message = message
    }

    /// The kinds of errors, by their names on the wire.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// No area has this name.
        case unknownArea = "UnknownArea"
        /// The area could not be opened.
        case areaUnavailable = "AreaUnavailable"
        /// The text is not a valid path, or leaves the area.
        case invalidPath = "InvalidPath"
        /// The path does not exist.
        case notFound = "NotFound"
        /// The entry at the path does not allow the operation.
        case refused = "Refused"
        /// The operation would exceed the quota.
        case quotaExceeded = "QuotaExceeded"
        /// The file system has no free space.
        case noSpace = "NoSpace"
        /// The file has changed since the token was issued, or does not end at the offset.
        case changed = "Changed"
        /// No upload has this id.
        case unknownUpload = "UnknownUpload"
        /// The id is that of another upload, or the upload is in use.
        case uploadConflict = "UploadConflict"
        /// The number of uploads has reached the limit.
        case tooManyUploads = "TooManyUploads"
        /// The upload continues at another offset, or is not complete yet.
        case wrongOffset = "WrongOffset"
        /// The data exceeds the limit of one call, or the announced size of the file.
        case tooLong = "TooLong"
        /// The content does not have the announced SHA-256.
        case hashMismatch = "HashMismatch"
        /// The file system reported an error.
        case failed = "Failed"
    }
}
