/// A value to be bound to a statement's parameter.
package enum SQLiteValue: Sendable, Equatable {
    /// SQL's NULL.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A string.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// Returns a text value; NULL for nil.
    package static func optional(_ text: String?) -> SQLiteValue {
        text.map(SQLiteValue.text) ?? .null
    }
}

/// A type that a column of a result can be read as.
///
/// Reading is strict: a column that holds another type than the requested one is an error, never a conversion.
package protocol SQLiteColumn {
    /// Reads a column of a statement's current row.
    static func read(_ statement: Statement, _ index: Int) throws(SQLiteError) -> Self
}

extension Int64: SQLiteColumn {
    /// Reads an integer.
    package static func read(_ statement: Statement, _ index: Int) throws(SQLiteError) -> Int64 {
        try statement.integer(index)
    }
}

extension Bool: SQLiteColumn {
    /// Reads an integer: 0 is false, any other value is true.
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
    /// Reads a value; nil for NULL.
    package static func read(_ statement: Statement, _ index: Int) throws(SQLiteError) -> Wrapped? {
        statement.isNull(index) ? nil : try Wrapped.read(statement, index)
    }
}
