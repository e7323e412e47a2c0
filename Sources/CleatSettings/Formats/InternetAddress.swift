/// An IPv4 or IPv6 address read from its text.
package enum InternetAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IPv4 address; its first byte is the highest.
    case v4(UInt32)
    /// An IPv6 address as eight groups.
    case v6([UInt16])

    /// The 4 or 16 bytes of the address, in network order.
    package var bytes: [UInt8] {
        switch self {
        case .v4(let value): [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        case .v6(let groups): groups.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        }
    }

    /// Reads a dotted-decimal IPv4 address: four numbers without leading zeros.
    ///
    /// - Parameter text: the address and nothing else.
    /// - Returns: the address, or nil if `text` is not one.
    package static func v4(parsing text: Substring) -> InternetAddress? {
        guard let value = parseV4(text) else { return nil }
        return .v4(value)
    }

    /// Reads an IPv6 address in one of the forms of RFC 4291, section 2.2; a zone (`%eth0`) is refused.
    ///
    /// - Parameter text: the address and nothing else.
    /// - Returns: the address, or nil if `text` is not one.
    package static func v6(parsing text: Substring) -> InternetAddress? {
        guard let groups = parseV6(text) else { return nil }
        return .v6(groups)
    }

    /// Reads an IPv4 or IPv6 address; nil if the text is neither.
    package init?(_ text: some StringProtocol) {
        let text = Substring(text)
        guard let address = Self.v4(parsing: text) ?? Self.v6(parsing: text) else { return nil }
        self = address
    }

    /// The number of bits in an address of this kind.
    package var bits: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }

    /// The canonical text; for IPv6 that of RFC 5952.
    package var description: String {
        switch self {
        case .v4(let value): "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
        case .v6(let groups): Self.text(of: groups)
        }
    }

    private static func parseV4(_ text: Substring) -> UInt32? {
        guard text.utf8.count <= 15 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var result: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var value: UInt32 = 0
            for byte in part {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + UInt32(byte - 0x30)
            }
            guard value <= 255 else { return nil }
            result = result << 8 | value
        }
        return result
    }

    private static func parseV6(_ text: Substring) -> [UInt16]? {
        guard (2...45).contains(text.utf8.count) else { return nil }
        var head: [UInt16] = []
        var tail: [UInt16]?
        var rest = text
        if rest.hasPrefix("::") {
            tail = []
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            let end = rest.utf8.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            let part = rest[..<end]
            if part.utf8.contains(UInt8(ascii: ".")) {
                guard end == rest.endIndex, let value = parseV4(part) else { return nil }
                append([UInt16(value >> 16), UInt16(value & 0xFFFF)], &head, &tail)
                break
            }
            guard let group = parseGroup(part) else { return nil }
            append([group], &head, &tail)
            guard end < rest.endIndex else { break }
            rest = rest[rest.utf8.index(after: end)...]
            if rest.utf8.first == UInt8(ascii: ":") {
                guard tail == nil else { return nil }
                tail = []
                rest = rest.dropFirst()
            } else if rest.isEmpty {
                return nil
            }
            guard head.count + (tail?.count ?? 0) <= 8 else { return nil }
        }
        guard let tail else { return head.count == 8 ? head : nil }
        let missing = 8 - head.count - tail.count
        guard missing >= 1 else { return nil }
        return head + Array(repeating: 0, count: missing) + tail
    }

    private static func append(_ groups: [UInt16], _ head: inout [UInt16], _ tail: inout [UInt16]?) {
        if tail == nil {
            head += groups
        } else {
            tail?.append(contentsOf: groups)
        }
    }

    private static func parseGroup(_ part: Substring) -> UInt16? {
        guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(ASCII.isHexadecimal) else { return nil }
        return UInt16(part, radix: 16)
    }

    private static func text(of groups: [UInt16]) -> String {
        // The longest run of at least two zero groups is written “::”; of equally long runs, the first.
        var longest = 0..<0
        var start = 0
        while start < groups.count {
            var end = start
            while end < groups.count, groups[end] == 0 { end += 1 }
            if end - start > max(longest.count, 1) { longest = start..<end }
            start = max(end, start + 1)
        }
        func join(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        if longest.isEmpty { return join(groups[...]) }
        return join(groups[..<longest.lowerBound]) + "::" + join(groups[longest.upperBound...])
    }
}
