import CleatHash

/// The reason why a step of an upload failed, and the remedy.
package struct UploadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a failure.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// The id is empty or too long.
        case badID
        /// The size is negative or missing.
        case badSize
        /// The hash is not 64 hexadecimal digits.
        case badHash
        /// A write has more bytes than ``UploadStore/pieceLimit``.
        case pieceTooLarge
        /// A write exceeds the declared size.
        case beyondEnd
        /// The area has the maximum number of uploads.
        case tooMany
        /// There is no such upload.
        case unknown
        /// The id is that of an upload with other parameters.
        case otherParameters
        /// Another step of the same upload is in progress.
        case busy
        /// A write is not at the expected offset, which the error contains.
        case offset
        /// Not all bytes have arrived; the error contains the number of those that have.
        case incomplete
        /// The bytes that arrived do not match the declared hash; the upload is removed.
        case hashMismatch
        /// The partial file was removed, moved or changed by another program; the upload is removed.
        case lost
        /// A file could not be used; the error's cause contains the reason.
        case files

        /// The code as one word.
        package var description: String { rawValue }
    }

    /// The kind of failure.
    package let code: Code
    /// The upload.
    package let key: UploadKey
    /// The offset of the next write, for errors that concern it; else nil.
    package let expected: Int64?
    /// The declared SHA-256 and that of the arrived bytes, in hexadecimal digits, if they differ.
    package let hashes: Hashes?
    /// The failure of a file operation, if the code is `files`.
    package let cause: SandboxError?

    init(_ code: Code, _ key: UploadKey, expected: Int64? = nil) {
        self.code = code
        self.key = key
        self.expected = expected
        hashes = nil
        cause = nil
    }

    /// Makes an error for bytes that do not match the declared hash.
    init(_ key: UploadKey, announced: [UInt8], arrived: [UInt8]) {
        code = .hashMismatch
        self.key = key
        expected = nil
        hashes = Hashes(announced: SHA256.hexadecimal(announced), arrived: SHA256.hexadecimal(arrived))
        cause = nil
    }

    /// Two different SHA-256 digests, in hexadecimal digits.
    package struct Hashes: Sendable, Equatable {
        /// The declared digest.
        package let announced: String
        /// The digest of the bytes that arrived.
        package let arrived: String
    }

    init(_ cause: SandboxError, _ key: UploadKey) {
        code = .files
        self.key = key
        expected = nil
        hashes = nil
        self.cause = cause
    }

    /// The error in one sentence.
    package var description: String {
        if let cause { return cause.description }
        let next = expected.map(String.init) ?? "0"
        let reason =
            switch code {
            case .badID: "its id must have 1 to \(UploadKey.idLimit) bytes; choose another one"
            case .badSize: "its size is negative or missing; give the file's length in bytes"
            case .badHash: "its hash is not a SHA-256; give 64 hexadecimal digits"
            case .pieceTooLarge: "a write has at most \(UploadStore.pieceLimit) bytes; send smaller ones"
            case .beyondEnd: "a write goes beyond the size that was announced; start it again with the right size"
            case .tooMany:
                "there are \(UploadStore.uploadsLimit) unfinished ones in the area; commit or abort one of them"
            case .unknown: "there is no such upload; start it"
            case .otherParameters:
                "the id is that of an upload with another path, size or hash; abort that one, or choose another id"
            case .busy: "another step of it is under way; wait for its answer"
            case .offset: "the next write must start at \(next); continue there"
            case .incomplete: "only \(next) bytes have arrived; continue there"
            case .hashMismatch:
                "the received bytes do not have the announced hash, and were discarded; check that the file does not change, "
                    + "and send it again"
            case .lost: "its partial file was removed, moved or changed by another program; start it again"
            case .files: "a file could not be used; see its cause"
            }
        return "Could not continue the upload “\(SandboxError.shown(key.id))”: \(reason)."
    }
}
