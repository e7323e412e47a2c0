/// Reads what a ``ByteWriter`` has written, and nothing beyond the end of the bytes.
///
/// The bytes may come from anywhere: every number and length is checked against its limit before it is used.
package struct ByteReader: Sendable {
    private var rest: ArraySlice<UInt8>

    /// Creates a reader of some bytes.
    package init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    /// True if all bytes have been read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads an unsigned number in network byte order.
    ///
    /// - Throws: an error if the bytes end before, or the number exceeds the limit.
    package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self, upTo limit: Number = .max
    ) throws(MalformedBytes) -> Number {
        let number = try bytes(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
        guard number <= limit else { throw MalformedBytes() }
        return number
    }

    /// Reads a given number of bytes.
    ///
    /// - Throws: an error if the bytes end before.
    package mutating func bytes(_ count: Int) throws(MalformedBytes) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw MalformedBytes() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Reads bytes after their count.
    ///
    /// - Throws: an error if there are more than the limit, or the bytes end before.
    package mutating func field(upTo limit: Int = Int(Int32.max)) throws(MalformedBytes) -> ArraySlice<UInt8> {
        try bytes(Int(number(UInt32.self, upTo: UInt32(clamping: limit))))
    }

    /// Reads UTF-8 text after the number of its bytes.
    ///
    /// - Throws: an error if it is not valid, longer than the limit, or the bytes end before.
    package mutating func text(upTo limit: Int = Int(Int32.max)) throws(MalformedBytes) -> String {
        guard let text = String(validating: try field(upTo: limit), as: UTF8.self) else { throw MalformedBytes() }
        return text
    }

    /// Checks that all bytes have been read.
    package func finish() throws(MalformedBytes) { if !isAtEnd { throw MalformedBytes() } }
}

/// Writes numbers in network byte order, and fields of bytes after their count.
package struct ByteWriter: Sendable {
    /// The written bytes.
    package private(set) var bytes: [UInt8]

    /// Creates a writer that continues after some bytes.
    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Writes an unsigned number in network byte order.
    package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
        append(UInt64(number), bits: Number.bitWidth)
    }

    private mutating func append(_ number: UInt64, bits: Int) {
        var shift = UInt64(bits)
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Writes bytes without their count.
    package mutating func write(_ more: some Collection<UInt8>) { bytes += more }

    /// Writes bytes without their count, which a closure appends.
    package mutating func write(_ append: (inout [UInt8]) -> Void) { append(&bytes) }

    /// Writes the count of some bytes, of at most 32 bits, and the bytes.
    package mutating func field(_ field: some Collection<UInt8>) {
        number(UInt32(field.count))
        bytes += field
    }

    /// Writes the number of bytes of a text, and the text in UTF-8.
    package mutating func text(_ text: String) {
        number(UInt32(text.utf8.count))
        // The bytes of a buffer are copied much faster than those of a text.
        let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe bytes.append(contentsOf: $0) }
        if isDone == nil { bytes += text.utf8 }
    }
}

/// The bytes are cut short, or are not what the format requires.
package struct MalformedBytes: Error, Hashable, Sendable {
    /// Creates the error.
    package init() {}
}
