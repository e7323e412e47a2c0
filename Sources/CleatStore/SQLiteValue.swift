/// Holds one value to be bound to a statement's parameter.
package enum SQLiteValue: Sendable, Hashable {
    /// The absence of a value.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A string.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// Makes a text, or null of nil.
    package static func optional(_ text: String?) -> SQLiteValue {
        text.map(SQLiteValue.text) ?? .null
    }
}
