/// An error of `dev.cleat.Files`: what kind it is, and what it is about.
///
/// Of the fields, those count that its kind has on the wire; the others are empty.
package struct FilesError: Error, Hashable, Sendable {
    /// What kind of error it is.
    package var kind: Kind
    /// The area.
    package var area = ""
    /// The path in it.
    package var path = ""
    /// Why a request was refused, as one word: `not_empty`.
    package var reason = ""
    /// Which quota it is about: `bytes` or `files`.
    package var resource = ""
    /// The id of a file on its way.
    package var id = ""
    /// The digest that was promised.
    package var expected = ""
    /// The digest that the content has.
    package var found = ""
    /// How much of a quota is used already, what is kept for files on their way included.
    package var used: Int64 = 0
    /// The limit.
    package var limit: Int64 = 0
    /// How much more of a quota was asked for.
    package var asked: Int64 = 0
    /// Where the content of a file on its way goes on, in bytes.
    package var offset: Int64 = 0
    /// The error as one sentence.
    package var message: String

    /// Creates an error about a file, or an area.
    package init(_ kind: Kind, area: String = "", path: String = "", reason: String = "", message: String) {
        self.kind = kind
        self.area = area
        self.path = path
        self.reason = reason
        self.message = message
    }

    /// Creates an error about a file on its way.
    package init(_ kind: Kind, id: String, message: String) {
        self.kind = kind
        self.id = id
        self.message = message
    }

    /// What kind of error it is; its name on the wire.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// There is no area of this name.
        case unknownArea = "UnknownArea"
        /// The area could not be opened.
        case areaUnavailable = "AreaUnavailable"
        /// The text is no path.
        case invalidPath = "InvalidPath"
        /// Nothing stands at the path.
        case notFound = "NotFound"
        /// What stands at the path does not let this be done.
        case refused = "Refused"
        /// The quota does not let this be done.
        case quotaExceeded = "QuotaExceeded"
        /// The file system has no room left.
        case noSpace = "NoSpace"
        /// The file is another one than that of the token.
        case changed = "Changed"
        /// No file was begun under this id.
        case unknownUpload = "UnknownUpload"
        /// Another file was begun under this id.
        case uploadConflict = "UploadConflict"
        /// As many files are on their way as there may be.
        case tooManyUploads = "TooManyUploads"
        /// The file goes on elsewhere.
        case wrongOffset = "WrongOffset"
        /// More bytes than there may be.
        case tooLong = "TooLong"
        /// The content is not the one that was promised.
        case hashMismatch = "HashMismatch"
        /// The file system failed.
        case failed = "Failed"
    }
}
