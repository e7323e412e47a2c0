/// Names the grammar that a document is read by.
public enum JSONDialect: Sendable, Hashable {
    /// JSON as in RFC 8259, nothing more.
    case json
    /// JSON5: comments, trailing commas, unquoted keys, single quotes, hexadecimal numbers, line continuations.
    ///
    /// `Infinity` and `NaN` are refused, since no other form could keep them.
    case json5
}
