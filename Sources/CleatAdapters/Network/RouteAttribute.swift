/// One attribute of an object of rtnetlink (`struct rtattr`), as the kernel wrote it.
package struct RouteAttribute: Hashable, Sendable {
    /// The most attributes that are read of one object.
    static let limit = 256

    /// What it is, with the bits that say whether it is nested.
    package var type: UInt16
    /// Its value.
    package var value: [UInt8]

    /// Takes both.
    package init(_ type: UInt16, _ value: [UInt8]) {
        self.type = type
        self.value = value
    }

    /// What it is, without those bits.
    var plainType: UInt16 { type & 0x3fff }

    /// The attribute as it is sent, filled up to a multiple of four bytes.
    var encoded: [UInt8] {
        var bytes = NativeBytes.bytes(UInt16(truncatingIfNeeded: value.count + 4))
        bytes += NativeBytes.bytes(type)
        bytes += value
        while bytes.count % 4 != 0 { bytes.append(0) }
        return bytes
    }

    /// Reads all attributes behind the fixed part of an object; what makes no sense ends the list.
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
    /// The value of the first attribute of a type.
    func value(_ type: UInt16) -> [UInt8]? { first { $0.plainType == type }?.value }

    /// The value of the first attribute of a type as a number of 32 bits.
    func number(_ type: UInt16) -> UInt32? {
        value(type).flatMap { NativeBytes.number(UInt32.self, in: $0[...], at: 0) }
    }
}
