/// Builds messages byte by byte, as the kernel and udevd do.
enum Messages {
    /// A message of the kernel's group.
    static func kernel(_ header: String, _ entries: [String]) -> [UInt8] {
        block([header] + entries)
    }

    /// A message of the kernel's group that holds what each one holds.
    static func kernel(action: String, devpath: String, _ entries: [String] = []) -> [UInt8] {
        kernel("\(action)@\(devpath)", ["ACTION=\(action)", "DEVPATH=\(devpath)"] + entries)
    }

    /// A message of udevd's group.
    static func udevd(
        _ entries: [String], magic: UInt32 = 0xfeed_cafe, prefix: String = "libudev", headerSize: UInt32 = 40,
        offset: UInt32 = 40, length: UInt32? = nil
    ) -> [UInt8] {
        let block = block(entries)
        var bytes = Array(prefix.utf8) + [UInt8](repeating: 0, count: 8 - prefix.utf8.count)
        bytes += big(magic)
        bytes += native(headerSize)
        bytes += native(offset)
        bytes += native(length ?? UInt32(block.count))
        bytes += [UInt8](repeating: 0, count: 16)
        return bytes + block
    }

    /// An rtnetlink message.
    static func route(
        type: UInt16, flags: UInt16 = 0, sequence: UInt32 = 0, _ payload: [UInt8], length: UInt32? = nil
    ) -> [UInt8] {
        let bytes =
            native(length ?? UInt32(16 + payload.count)) + native(type) + native(flags) + native(sequence)
            + native(UInt32(0)) + payload
        return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    /// The body of a link message.
    static func link(
        index: Int32, family: UInt8 = 0, type: UInt16 = 1, flags: UInt32 = 0, _ attributes: [[UInt8]]
    ) -> [UInt8] {
        [family, 0] + native(type) + native(UInt32(bitPattern: index)) + native(flags) + native(UInt32.max)
            + attributes.flatMap(\.self)
    }

    /// The body of an address message.
    static func address(
        index: Int32, family: UInt8 = 2, prefixLength: UInt8 = 24, flags: UInt8 = 0x80, scope: UInt8 = 0,
        _ attributes: [[UInt8]]
    ) -> [UInt8] {
        [family, prefixLength, flags, scope] + native(UInt32(bitPattern: index)) + attributes.flatMap(\.self)
    }

    /// An attribute of an rtnetlink message.
    static func attribute(_ type: UInt16, _ value: [UInt8], length: UInt16? = nil) -> [UInt8] {
        let bytes = native(length ?? UInt16(4 + value.count)) + native(type) + value
        return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    /// An attribute that holds a text.
    static func attribute(_ type: UInt16, _ text: String) -> [UInt8] {
        attribute(type, Array(text.utf8) + [0])
    }

    private static func block(_ entries: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries { bytes += Array(entry.utf8) + [0] }
        return bytes
    }

    static func native(_ number: some FixedWidthInteger) -> [UInt8] {
        let little = number.littleEndian
        let bytes = (0..<(number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: little >> ($0 * 8)) }
        return UInt16(littleEndian: 1) == 1 ? bytes : bytes.reversed()
    }

    static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
