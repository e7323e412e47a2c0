/// One attribute of an rtnetlink object (`struct rtattr`), as the kernel wrote it.
package struct RouteAttribute: Hashable, Sendable {
    /// The maximum number of attributes that are read from one object.
    static let limit = 256

    /// The type, with its flag bits for nesting and byte order.
    package var type: UInt16
    /// Its value.
    package var value: [UInt8]

    /// Creates an attribute.
    package init(_ type: UInt16, _ value: [UInt8]) {
        self.type = type
        self.value = value
    }

    /// The type without its flag bits.
    var plainType: UInt16 { type & 0x3fff }

    /// The encoded attribute, padded to a multiple of four bytes.
    var encoded: [UInt8] {
        var bytes = NativeBytes.bytes(UInt16(truncatingIfNeeded: value.count + 4))
        bytes += NativeBytes.bytes(type)
        bytes += value
        while bytes.count % 4 != 0 { bytes.append(0) }
        return bytes
    }

    /// Reads all attributes after the fixed part of an object; a malformed one ends the list.
    static func list(in bytes: ArraySlice<UInt8>) -> [RouteAttribute] {
        var found: [RouteAttribute] = []
        var rest = bytes
        while found.count < limit, let length = NativeBytes.number(UInt16.self, in: rest, at: 0).map({ Int($0) }),
            length >= 4, length <= rest.count, let type = NativeBytes.number(UInt16.self, in: rest, at: 2)
        {
            found.append(RouteAttribute(type, Array(rest.dropFirst(4).prefix(length - 4))))
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return found
    }
}

extension [RouteAttribute] {
    /// Returns the value of the first attribute of a type.
    func value(_ type: UInt16) -> [UInt8]? { first { $0.plainType == type }?.value }

    /// Returns the value of the first attribute of a type as a 32-bit number.
    func number(_ type: UInt16) -> UInt32? {
        value(type).flatMap { NativeBytes.number(UInt32.self, in: $0[...], at: 0) }
    }
}

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
