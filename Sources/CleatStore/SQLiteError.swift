package import SystemPackage

/// A failed SQLite call: its statement, the cause and the remedy.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The extended result code.
    package let code: SQLiteCode
    /// The statement that failed, or the name of the step where there was none.
    package let sql: String
    /// SQLite's message.
    package let message: String
    /// The system error that caused it, if there was one.
    package let cause: Errno?

    /// Creates an error from SQLite's report.
    package init(code: SQLiteCode, sql: String, message: String, cause: Errno? = nil) {
        self.code = code
        self.sql = sql
        self.message = message
        self.cause = cause
    }

    /// The remedy for the error.
    package var remedy: String {
        switch code.primary {
        case .full: "free space on the file system of the store"
        case .busy, .locked: "end the other program that has the store open"
        case .corrupt, .notADatabase:
            "start the service again: it sets the damaged store aside and takes the second copy"
        case .readOnly: "make the store's file system and files writable"
        case .cannotOpen, .permission: "check the store's directory, its owner and its permissions"
        case .inputOutput: "check the storage device and the kernel's log"
        case .outOfMemory: "free memory"
        default: "report this as a defect of the store"
        }
    }

    /// The error in one sentence.
    package var description: String {
        let because = cause.map { ": \($0)" } ?? ""
        return "SQLite could not run “\(sql)”: \(message) (code \(code.rawValue))\(because); \(remedy)."
    }
}
