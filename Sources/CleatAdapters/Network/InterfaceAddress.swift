package import CleatSettings

/// An interface's address with its prefix length: `192.0.2.10/24`.
package struct InterfaceAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    package let address: InternetAddress
    /// The prefix length in bits.
    package let prefix: UInt8

    /// Creates an address with a prefix length.
    package init(_ address: InternetAddress, prefix: UInt8) {
        self.address = address
        self.prefix = prefix
    }

    /// Reads the text of a setting; nil if it is not valid.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = InternetAddress(parts[0]), let prefix = UInt8(parts[1]),
            Int(prefix) <= address.bits
        else { return nil }
        self.init(address, prefix: prefix)
    }

    /// The text, in the format of settings.
    package var description: String { "\(address)/\(prefix)" }

    /// The netmask of an IPv4 address: `255.255.255.0`.
    var dottedMask: String { InternetAddress.v4(UInt32.max << (32 - Int(prefix))).description }

    /// The network: the same address without its host bits.
    var network: InterfaceAddress {
        var rest = Int(prefix)
        let bytes = address.bytes.map { byte -> UInt8 in
            defer { rest -= 8 }
            return byte & (rest >= 8 ? 0xff : ~(0xff >> UInt8(max(rest, 0))))
        }
        return InterfaceAddress(InternetAddress(bytes: bytes) ?? address, prefix: prefix)
    }

    /// Returns true if an address is in this network.
    func reaches(_ other: InternetAddress) -> Bool {
        guard other.bits == address.bits else { return false }
        var rest = Int(prefix)
        for (mine, others) in zip(address.bytes, other.bytes) {
            let mask: UInt8 = rest >= 8 ? 0xff : ~(0xff >> UInt8(max(rest, 0)))
            guard (mine ^ others) & mask == 0 else { return false }
            rest -= 8
        }
        return true
    }
}

extension InternetAddress {
    /// The bytes in network byte order.
    var bytes: [UInt8] {
        switch self {
        case .v4(let value): Self.bytes(of: [UInt16(value >> 16), UInt16(value & 0xffff)])
        case .v6(let groups): Self.bytes(of: groups)
        }
    }

    private static func bytes(of groups: [UInt16]) -> [UInt8] {
        var bytes: [UInt8] = []
        for group in groups {
            bytes.append(UInt8(group >> 8))
            bytes.append(UInt8(group & 0xff))
        }
        return bytes
    }

    /// Creates an address from 4 or 16 bytes in network byte order; nil for any other number of bytes.
    init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        case 16:
            let groups = stride(from: 0, to: 16, by: 2).map { at -> UInt16 in
                UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
            }
            self = .v6(groups)
        default: return nil
        }
    }

    /// The number of the address family (`AF_INET`, `AF_INET6`).
    var family: UInt8 { bits == 32 ? 2 : 10 }

    /// True if it is an IPv6 link-local address (`fe80::/10`).
    var isLinkLocal: Bool {
        if case .v6(let groups) = self, let first = groups.first { first & 0xffc0 == 0xfe80 } else { false }
    }
}
