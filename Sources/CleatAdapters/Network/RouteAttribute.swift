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
