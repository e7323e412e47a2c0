/// A value to be bound to a statement's parameter.
package enum SQLiteValue: Sendable, Hashable {
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
