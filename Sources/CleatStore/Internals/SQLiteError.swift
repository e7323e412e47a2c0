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

    /// The error in one sentence.
    package var description: String {
        let because = cause.map { ": \($0)" } ?? ""
        return
            "SQLite could not run “\(sql)”: \(message) (code \(code.rawValue))\(because); \(StoreError.Code(self).remedy)."
    }
}
