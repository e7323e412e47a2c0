import CSQLite

/// One of SQLite's result codes, extended ones included.
package struct SQLiteCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The extended result code.
    package let rawValue: Int32

    /// Creates a code from SQLite's number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The primary result code: the code without its extension.
    package var primary: SQLiteCode { SQLiteCode(rawValue: rawValue & 0xFF) }

    /// The meaning of the code in SQLite's own words.
    package var description: String {
        guard let text = unsafe sqlite3_errstr(rawValue) else { return "code \(rawValue)" }
        return unsafe String(cString: text)
    }

    /// Success.
    package static let ok = SQLiteCode(rawValue: SQLITE_OK)
    /// The SQL, or its use, is wrong.
    package static let error = SQLiteCode(rawValue: SQLITE_ERROR)
    /// Another connection has locked the file.
    package static let busy = SQLiteCode(rawValue: SQLITE_BUSY)
    /// The same connection has locked the table.
    package static let locked = SQLiteCode(rawValue: SQLITE_LOCKED)
    /// Memory is short.
    package static let outOfMemory = SQLiteCode(rawValue: SQLITE_NOMEM)
    /// The file cannot be written.
    package static let readOnly = SQLiteCode(rawValue: SQLITE_READONLY)
    /// The system failed to read, write or flush.
    package static let inputOutput = SQLiteCode(rawValue: SQLITE_IOERR)
    /// The content of the file contradicts itself.
    package static let corrupt = SQLiteCode(rawValue: SQLITE_CORRUPT)
    /// The file system is full.
    package static let full = SQLiteCode(rawValue: SQLITE_FULL)
    /// The file cannot be opened.
    package static let cannotOpen = SQLiteCode(rawValue: SQLITE_CANTOPEN)
    /// Access is denied.
    package static let permission = SQLiteCode(rawValue: SQLITE_PERM)
    /// The file is not a database.
    package static let notADatabase = SQLiteCode(rawValue: SQLITE_NOTADB)
    /// A column holds another type than the requested one.
    package static let mismatch = SQLiteCode(rawValue: SQLITE_MISMATCH)
    /// A value is larger than SQLite's limit.
    package static let tooBig = SQLiteCode(rawValue: SQLITE_TOOBIG)
}
