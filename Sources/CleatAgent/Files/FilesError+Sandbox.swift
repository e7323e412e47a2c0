import CleatAPI
import CleatSandbox
import CleatVarlink

extension FilesError {
    /// Converts a failure on a file into an error for the caller.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - area: The area that the caller has named.
    ///   - path: The path that the caller has named.
    init(_ error: SandboxError, area: String, path: String) {
        let shown = String(path.prefix(Self.shownPath))
        let message = error.description
        switch error.code {
        case .badPath: self.init(.invalidPath, area: area, path: shown, message: message)
        case .notFound: self.init(.notFound, area: area, path: shown, message: message)
        case .noSpace: self.init(.noSpace, area: area, path: shown, message: message)
        case .changed: self.init(.changed, area: area, path: shown, message: message)
        case .quotaBytes, .quotaFiles:
            self.init(.quotaExceeded, area: area, path: shown, message: message)
            resource = error.code == .quotaBytes ? "bytes" : "files"
            (used, limit, asked) = (error.excess?.used ?? 0, error.excess?.limit ?? 0, error.excess?.asked ?? 0)
        case .inputOutput, .resources, .unsupported, .failed:
            self.init(.failed, area: area, path: shown, reason: Self.word(error.code), message: message)
        default: self.init(.refused, area: area, path: shown, reason: Self.word(error.code), message: message)
        }
    }

    /// The maximum length in characters of a path in an error, as it may not be a valid path.
    private static let shownPath = 1024

    /// Returns the code in its wire format: `notEmpty` becomes `not_empty`.
    private static func word(_ code: SandboxError.Code) -> String {
        code.description.unicodeScalars.reduce(into: "") { word, scalar in
            if ("A"..."Z").contains(scalar) {
                word += "_" + String(scalar).lowercased()
            } else {
                word.unicodeScalars.append(scalar)
            }
        }
    }
}

extension UploadError {
    /// Returns the error in its wire format.
    func wireError(area: String, path: String) -> any Error {
        if let cause { return FilesError(cause, area: area, path: path) }
        var error: FilesError
        switch code {
        case .badID: return VarlinkError.invalidParameter("id")
        case .badSize: return VarlinkError.invalidParameter("size")
        case .badHash: return VarlinkError.invalidParameter("sha256")
        case .pieceTooLarge, .beyondEnd:
            error = FilesError(.tooLong, message: description)
            error.limit = Int64(UploadStore.pieceLimit)
        case .tooMany:
            error = FilesError(.tooManyUploads, message: description)
            error.limit = Int64(UploadStore.uploadsLimit)
        case .otherParameters, .busy:
            error = FilesError(.uploadConflict, id: key.id, message: description)
            (error.area, error.path) = (area, path)
        case .offset, .incomplete:
            error = FilesError(.wrongOffset, id: key.id, message: description)
            error.offset = expected ?? 0
        case .hashMismatch:
            error = FilesError(.hashMismatch, id: key.id, message: description)
            (error.expected, error.found) = (hashes?.announced ?? "", hashes?.arrived ?? "")
        default: error = FilesError(.unknownUpload, id: key.id, message: description)
        }
        return APIError.files(error)
    }
}
