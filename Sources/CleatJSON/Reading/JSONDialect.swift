/// The grammar of a document.
public enum JSONDialect: Sendable, Hashable {
    /// JSON as in RFC 8259, without extensions.
    case json
    /// JSON5: comments, trailing commas, unquoted keys, single quotes, hexadecimal numbers, line continuations.
    ///
    /// `Infinity` and `NaN` are refused, since no other format can represent them.
    case json5
}
