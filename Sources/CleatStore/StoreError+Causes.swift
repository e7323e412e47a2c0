import SystemPackage

extension StoreError {
    /// Translates an SQLite error.
    init(_ error: SQLiteError, _ subject: String) {
        let code = Self.code(of: error)
        let what: String
        switch code {
        case .inUse:
            what =
                "The store “\(subject)” is open in another program; stop that program, or give this one another directory"
        case .diskFull:
            what =
                "The file system of the store “\(subject)” is full, and nothing was changed; free space and try again"
        case .readOnly:
            what =
                "The store “\(subject)” cannot be written, because its file system or file is read-only; make it writable"
        case .accessDenied:
            what = "Access to the store “\(subject)” is denied; check its owner and permissions"
        case .tooManyFiles:
            what =
                "The store “\(subject)” cannot be opened, because too many files are open; raise the limit on open files"
        case .inputOutput:
            what =
                "The storage device failed under the store “\(subject)”, which is left as it is; check the device and the kernel's log"
        case .outOfMemory:
            what = "There is not enough memory for the store “\(subject)”; free some and try again"
        case .corrupt:
            what =
                "The store “\(subject)” is damaged; start the service again, which sets it aside and takes the second copy"
        case .limit:
            what = "The value is too large for the store “\(subject)”; make it smaller"
        default:
            what = "The store “\(subject)” could not be used; report this as a defect"
        }
        let cause = error.cause.map { ", \($0)" } ?? ""
        self.init(
            code, subject,
            "\(what) (SQLite says “\(error.message)”, code \(error.code.rawValue)\(cause), at “\(error.sql)”).",
            underlying: error)
    }

    /// Translates a system error.
    init(_ error: Errno, _ subject: String, while doing: String) {
        let code = Self.code(of: error) ?? .inputOutput
        let remedy: String
        switch code {
        case .inUse: remedy = "stop the other program that has it open, or give this one another directory"
        case .diskFull: remedy = "free space and try again"
        case .readOnly: remedy = "make its file system writable"
        case .accessDenied: remedy = "check its owner and permissions"
        case .tooManyFiles: remedy = "raise the limit on open files"
        case .outOfMemory: remedy = "free memory and try again"
        case .invalidDirectory: remedy = "name a directory"
        default: remedy = "check the device and the kernel's log"
        }
        self.init(code, subject, "The service could not \(doing) “\(subject)”: \(error); \(remedy).")
    }

    private static func code(of error: SQLiteError) -> Code {
        switch error.code.primary {
        case .full: .diskFull
        case .busy, .locked: .inUse
        case .corrupt, .notADatabase: .corrupt
        case .outOfMemory: .outOfMemory
        case .readOnly: .readOnly
        case .permission: .accessDenied
        case .inputOutput, .cannotOpen: error.cause.flatMap(code(of:)) ?? .inputOutput
        case .tooBig: .limit
        default: .internalError
        }
    }

    private static func code(of error: Errno) -> Code? {
        switch error {
        case .noSpace, .diskQuotaExceeded: .diskFull
        case .readOnlyFileSystem: .readOnly
        case .permissionDenied, .notPermitted: .accessDenied
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: .tooManyFiles
        case .noMemory: .outOfMemory
        case .wouldBlock: .inUse
        case .notDirectory, .isDirectory, .tooManySymbolicLinkLevels, .fileNameTooLong: .invalidDirectory
        default: nil
        }
    }
}
