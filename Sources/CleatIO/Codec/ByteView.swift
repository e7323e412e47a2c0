/// A bounds-checked view of part of a message, for parsers of untrusted bytes.
///
/// Every access outside the view returns nil, whatever the offset, so that a wrong length field cannot mislead a
/// parser.
package struct ByteView: Sendable {
    let bytes: [UInt8]
    let range: Range<Int>

    /// Makes a view of all of the bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.range = 0..<bytes.count
    }

    private init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// The number of bytes in view.
    package var count: Int { range.count }

    /// Returns the byte at an offset; nil if it is outside the view.
    package func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < count else { return nil }
        return bytes[range.lowerBound + offset]
    }

    /// Returns a part of the view; nil if it is not wholly inside the view.
    package func part(at offset: Int, count length: Int) -> ByteView? {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
        let start = range.lowerBound + offset
        return ByteView(bytes: bytes, range: start..<(start + length))
    }

    /// Returns a 16-bit number in the machine's byte order.
    package func native16(at offset: Int) -> UInt16? {
        guard let part = part(at: offset, count: 2) else { return nil }
        let low = UInt16(part.bytes[part.range.lowerBound])
        let high = UInt16(part.bytes[part.range.lowerBound + 1])
        return UInt16(littleEndian: 1) == 1 ? low | (high << 8) : high | (low << 8)
    }

    /// Returns a 32-bit number in the machine's byte order.
    package func native32(at offset: Int) -> UInt32? {
        guard let first = native16(at: offset), let second = native16(at: offset + 2) else { return nil }
        return UInt16(littleEndian: 1) == 1
            ? UInt32(first) | (UInt32(second) << 16) : UInt32(second) | (UInt32(first) << 16)
    }

    /// Returns a 32-bit number in network byte order.
    package func big32(at offset: Int) -> UInt32? {
        guard let part = part(at: offset, count: 4) else { return nil }
        return part.slice.reduce(0) { ($0 << 8) | UInt32($1) }
    }

    /// The bytes in view.
    package var slice: ArraySlice<UInt8> { bytes[range] }

    /// The text up to the first NUL, or up to the end if there is none; nil if it is not UTF-8.
    package var text: String? {
        let end = slice.firstIndex(of: 0) ?? range.upperBound
        return String(validating: bytes[range.lowerBound..<end], as: UTF8.self)
    }
}
