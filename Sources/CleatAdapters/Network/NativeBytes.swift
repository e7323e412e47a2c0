/// Reads and writes numbers in the machine's byte order, as netlink requires.
enum NativeBytes {
    private static let isLittle = UInt16(littleEndian: 1) == 1

    /// Returns the bytes of a number.
    static func bytes<Number: FixedWidthInteger & UnsignedInteger>(_ value: Number) -> [UInt8] {
        let shifts = stride(from: 0, to: Number.bitWidth, by: 8)
        let bytes = shifts.map { UInt8(truncatingIfNeeded: value >> Number($0)) }
        return isLittle ? bytes : bytes.reversed()
    }

    /// Returns the number at an offset from the start of the bytes; nil if they end before.
    static func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type, in bytes: ArraySlice<UInt8>, at offset: Int
    ) -> Number? {
        let size = Number.bitWidth / 8
        guard offset >= 0, bytes.count - size >= offset else { return nil }
        let part = bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + size)]
        var number: Number = 0
        for byte in isLittle ? Array(part.reversed()) : Array(part) { number = number << 8 | Number(byte) }
        return number
    }
}
