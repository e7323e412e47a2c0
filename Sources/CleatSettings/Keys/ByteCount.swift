import CleatJSON

/// A size in bytes, which is stored as people write it: `16MiB`.
public struct ByteCount: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// The number of bytes, never negative.
    public let bytes: Int64

    /// Makes a size; a negative one counts as 0.
    public init(_ bytes: Int64) {
        self.bytes = max(bytes, 0)
    }

    /// Reads a size such as `16MiB`, `10kB` or `512`; nil if the text is not a valid size.
    public init?(_ text: String) {
        guard let bytes = ByteCountText.bytes(text) else { return nil }
        self.bytes = bytes
    }

    /// The size in canonical form.
    public var description: String { ByteCountText.text(bytes: bytes) }

    /// Reads the size from a string, or from a number of bytes.
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        self =
            try value.integerValue.map { ByteCount($0) }
            ?? value.text(as: SettingFormat.bytes.expectation) { ByteCount($0) }
    }

    /// Writes the size in canonical form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Orders sizes by the number of bytes.
    public static func < (left: ByteCount, right: ByteCount) -> Bool {
        left.bytes < right.bytes
    }
}
