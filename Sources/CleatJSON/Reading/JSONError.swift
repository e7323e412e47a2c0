/// The reason why a document cannot be read, and its place.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        enum Kind: String {
            case syntax, unexpectedEnd, invalidText, duplicateKey, numberOutOfRange
            case tooDeep, tooLarge, stringTooLong, numberTooLong, tooManyValues
        }

        let kind: Kind

        /// The name of the kind.
        public var description: String { kind.rawValue }

        /// The text breaks the grammar.
        public static let syntax = Code(kind: .syntax)
        /// The document ends too early.
        public static let unexpectedEnd = Code(kind: .unexpectedEnd)
        /// The bytes are not valid UTF-8, begin with a byte order mark, or escape half a surrogate pair.
        public static let invalidText = Code(kind: .invalidText)
        /// An object has one key twice.
        public static let duplicateKey = Code(kind: .duplicateKey)
        /// A number is too large for a double, is infinite or is "not a number".
        public static let numberOutOfRange = Code(kind: .numberOutOfRange)
        /// Arrays and objects are nested deeper than `JSONLimits.depth`.
        public static let tooDeep = Code(kind: .tooDeep)
        /// The document is longer than `JSONLimits.size`.
        public static let tooLarge = Code(kind: .tooLarge)
        /// A string is longer than `JSONLimits.stringBytes`.
        public static let stringTooLong = Code(kind: .stringTooLong)
        /// A number is longer than `JSONLimits.numberBytes`.
        public static let numberTooLong = Code(kind: .numberTooLong)
        /// The document has more values than `JSONLimits.values`.
        public static let tooManyValues = Code(kind: .tooManyValues)
    }

    /// The kind of error.
    public let code: Code
    /// The line, from 1.
    public let line: Int
    /// The column in Unicode scalars, from 1.
    public let column: Int
    /// The offset in bytes, from 0.
    public let offset: Int
    /// The fault and the remedy, without the place.
    public let message: String

    /// Line and column.
    public var position: JSONPosition { JSONPosition(line: line, column: column) }

    /// The error as `line 3, column 7: …`.
    public var description: String { "\(position): \(message)" }
}
