/// Limits for the documents that the reader accepts.
public struct JSONLimits: Sendable, Hashable {
    /// The most levels of nested arrays and objects.
    ///
    /// Reading does not recurse, but writing, comparing and releasing a value do: 64 levels need less than 40 KiB of
    /// stack.
    public var depth: Int
    /// The most bytes of the document.
    public var size: Int
    /// The most UTF-8 bytes of one string or key, unescaped.
    public var stringBytes: Int
    /// The most bytes of one number.
    public var numberBytes: Int
    /// The most values of all types in the whole document; this bounds the memory that a document can take.
    public var values: Int

    /// Makes limits; those that are not given are as in `standard`.
    public init(
        depth: Int = 64, size: Int = 1 << 20, stringBytes: Int = 1 << 20, numberBytes: Int = 400, values: Int = 1 << 18
    ) {
        self.depth = depth
        self.size = size
        self.stringBytes = stringBytes
        self.numberBytes = numberBytes
        self.values = values
    }

    /// The limits for all documents from the wire: depth 64, 1 MiB, 262,144 values.
    public static let standard = JSONLimits()

    /// No limits, for a text that this program has written from a value.
    package static let unlimited = JSONLimits(
        depth: .max, size: .max, stringBytes: .max, numberBytes: .max, values: .max)
}
