/// Bounds what the reader accepts.
public struct JSONLimits: Sendable, Hashable {
    /// The number of arrays and objects that may stand in one another.
    ///
    /// Reading does not recurse, but writing, comparing and releasing a value do: 64 levels need less than 40 KiB of stack.
    public var depth: Int
    /// The length of the document in bytes.
    public var size: Int
    /// The length of one string or key, unescaped, in UTF-8 bytes.
    public var stringBytes: Int
    /// The length of one number in bytes.
    public var numberBytes: Int
    /// The number of values of every kind in the whole document; it bounds the memory that a document can ask for.
    public var values: Int

    /// Makes limits; what is not named is as in `standard`.
    public init(
        depth: Int = 64, size: Int = 1 << 20, stringBytes: Int = 1 << 20, numberBytes: Int = 400, values: Int = 1 << 18
    ) {
        self.depth = depth
        self.size = size
        self.stringBytes = stringBytes
        self.numberBytes = numberBytes
        self.values = values
    }

    /// The limits of everything that comes over the wire: depth 64, 1 MiB, 262,144 values.
    public static let standard = JSONLimits()
}
