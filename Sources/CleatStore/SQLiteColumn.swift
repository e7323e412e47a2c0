/// Describes a type that a column of a result can be read as.
///
/// Reading is strict: a column that holds another type than the one asked for is an error, never a conversion.
package protocol SQLiteColumn {
    /// Reads a column of the row that a statement stands on.
    static func read(_ statement: Statement, _ index: Int) throws(SQLiteError) -> Self
}

extension Int64: SQLiteColumn {
    /// Reads an integer.
    package static func read(_ statement: Statement, _ index: Int) throws(SQLiteError) -> Int64 {
        try statement.integer(index)
    }
}

extension Bool: SQLiteColumn {
    /// Reads an integer that is 0 or 1.
    package static func read(_ statement: Statement, _ index: Int) throws(SQLiteError) -> Bool {
        try statement.integer(index) != 0
    }
}

extension String: SQLiteColumn {
    /// Reads a text.
    package static func read(_ statement: Statement, _ index: Int) throws(SQLiteError) -> String {
        try statement.text(index)
    }
}

extension Array: SQLiteColumn where Element == UInt8 {
    /// Reads bytes.
    package static func read(_ statement: Statement, _ index: Int) throws(SQLiteError) -> [UInt8] {
        try statement.blob(index)
    }
}

extension Optional: SQLiteColumn where Wrapped: SQLiteColumn {
    /// Reads a value, or nil of null.
    package static func read(_ statement: Statement, _ index: Int) throws(SQLiteError) -> Wrapped? {
        statement.isNull(index) ? nil : try Wrapped.read(statement, index)
    }
}
