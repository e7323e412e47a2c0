import SystemPackage

extension StoreError.Code {
    /// Determines the kind of an SQLite error.
    init(_ error: SQLiteError) {
        self =
            switch error.code.primary {
            case .full: .diskFull
            case .busy, .locked: .inUse
            case .corrupt, .notADatabase: .corrupt
            case .outOfMemory: .outOfMemory
            case .readOnly: .readOnly
            case .permission: .accessDenied
            case .inputOutput, .cannotOpen: error.cause.flatMap(Self.init) ?? .inputOutput
            case .tooBig: .limit
            default: .internalError
            }
    }

    /// Determines the kind of a system error; nil if it has none of its own.
    init?(_ error: Errno) {
        switch error {
        case .noSpace, .diskQuotaExceeded: self = .diskFull
        case .readOnlyFileSystem: self = .readOnly
        case .permissionDenied, .notPermitted: self = .accessDenied
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: self = .tooManyFiles
        case .noMemory: self = .outOfMemory
        case .wouldBlock: self = .inUse
        case .notDirectory, .isDirectory, .tooManySymbolicLinkLevels, .fileNameTooLong: self = .invalidDirectory
        default: return nil
        }
    }

    /// The remedy for an error of the storage, as a clause.
    var remedy: String {
        switch self {
        case .inUse: "stop the other program that has the store open, or give this one another directory"
        case .diskFull: "free space on its file system and try again"
        case .readOnly: "make its file system and files writable"
        case .accessDenied: "check its owner and permissions"
        case .tooManyFiles: "raise the limit on open files"
        case .inputOutput: "check the storage device, the permissions and the kernel's log"
        case .outOfMemory: "free memory and try again"
        case .corrupt: "start the program again: it quarantines the damaged store and restores the second copy"
        case .limit: "make the value smaller"
        case .invalidDirectory: "name a directory"
        default: "report this as a defect of the store"
        }
    }
}

extension StoreError {
    /// Translates an SQLite error.
    init(_ error: SQLiteError, _ subject: String) {
        let code = Code(error)
        let fact =
            switch code {
            case .inUse: "The store “\(subject)” is open in another program"
            case .diskFull: "The file system of the store “\(subject)” is full, and nothing was changed"
            case .readOnly:
                "The store “\(subject)” cannot be written, because its file system or file is read-only"
            case .accessDenied: "Access to the store “\(subject)” is denied"
            case .tooManyFiles: "The store “\(subject)” cannot be opened, because too many files are open"
            case .inputOutput: "The storage device failed under the store “\(subject)”, which is unchanged"
            case .outOfMemory: "There is not enough memory for the store “\(subject)”"
            case .corrupt: "The store “\(subject)” is damaged"
            case .limit: "The value is too large for the store “\(subject)”"
            default: "The store “\(subject)” could not be used"
            }
        let cause = error.cause.map { ", \($0)" } ?? ""
        self.init(
            code, subject,
            "\(fact); \(code.remedy) (SQLite says “\(error.message)”, code \(error.code.rawValue)\(cause), at “\(error.sql)”).",
            underlying: error)
    }

    /// Translates a system error.
    init(_ error: Errno, _ subject: String, while doing: String) {
        let code = Code(error) ?? .inputOutput
        self.init(code, subject, "Cannot \(doing) “\(subject)”: \(error); \(code.remedy).")
    }
}
