internal import CleatIO

/// One IP address of a link.
package struct AddressRecord: Sendable, Equatable {
    /// The index of the link that has the address.
    package var index: Int32
    /// The bytes of the address: 4 for IPv4, 16 for IPv6.
    package var bytes: [UInt8]
    /// The length of the network's prefix in bits.
    package var prefixLength: UInt8
    /// The scope in which the address is valid (`RT_SCOPE_*`).
    package var scope: UInt8
    /// The flags (`IFA_F_*`).
    package var flags: UInt32

    /// Makes a record from its parts.
    package init(index: Int32, bytes: [UInt8], prefixLength: UInt8, scope: UInt8 = 0, flags: UInt32 = 0x80) {
        self.index = index
        self.bytes = bytes
        self.prefixLength = prefixLength
        self.scope = scope
        self.flags = flags
    }

    /// The flags that affect the use of the address: duplicate address detection is running (`0x40`) or has failed
    /// (`0x08`), or the address is deprecated (`0x20`).
    static let usabilityFlags: UInt32 = 0x68

    /// True if the address can be a source address.
    ///
    /// Duplicate address detection must not have failed (`IFA_F_DADFAILED`) and must not be running
    /// (`IFA_F_TENTATIVE`), unless the address may be used meanwhile (`IFA_F_OPTIMISTIC`).
    package var isUsable: Bool { flags & 0x08 == 0 && (flags & 0x40 == 0 || flags & 0x04 != 0) }

    /// The identity of an address, independent of its scope and flags.
    package struct Key: Sendable, Hashable {
        let index: Int32
        let bytes: [UInt8]
        let prefixLength: UInt8
    }

    /// The identity of the address, independent of its scope and flags.
    var key: Key { Key(index: index, bytes: bytes, prefixLength: prefixLength) }

    /// The address family as a word.
    package var family: String { bytes.count == 4 ? "ipv4" : "ipv6" }

    /// The scope as a word.
    package var scopeName: String {
        switch scope {
        case 0: "global"
        case 200: "site"
        case 253: "link"
        case 254: "host"
        case 255: "nowhere"
        default: "scope\(scope)"
        }
    }

    /// The address and its prefix length: `192.0.2.1/24`, `2001:db8::1/64` (RFC 5952).
    package var text: String { "\(Self.text(of: bytes))/\(prefixLength)" }

    /// True if another host uses the address: duplicate address detection has failed (`IFA_F_DADFAILED`).
    package var isDuplicate: Bool { flags & 0x08 != 0 }

    /// Returns an address as text (RFC 5952); the bytes are 4 for IPv4, 16 for IPv6.
    static func text(of bytes: [UInt8]) -> String {
        guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > best.count { best = start..<end }
            start = max(end, start + 1)
        }
        let words = groups.map { String($0, radix: 16) }
        guard best.count >= 2 else { return words.joined(separator: ":") }
        return words[..<best.lowerBound].joined(separator: ":") + "::"
            + words[best.upperBound...].joined(separator: ":")
    }
}

extension AddressRecord {
    /// Parses the body of an `RTM_NEWADDR` or `RTM_DELADDR` message; nil if it is not valid or of another family.
    init?(_ payload: ByteView) {
        // struct ifaddrmsg: family, prefix length, flags, scope, index.
        guard payload.count >= 8, let family = payload.byte(at: 0), let prefixLength = payload.byte(at: 1),
            let flags = payload.byte(at: 2), let scope = payload.byte(at: 3), let rawIndex = payload.native32(at: 4)
        else { return nil }
        let size: Int
        switch family {
        case 2: size = 4
        case 10: size = 16
        default: return nil
        }
        let index = Int32(bitPattern: rawIndex)
        guard index > 0, Int(prefixLength) <= size * 8 else { return nil }
        var address: [UInt8]?
        var local: [UInt8]?
        var allFlags = UInt32(flags)
        for (type, value) in RouteAttributes(payload.part(at: 8, count: payload.count - 8)) {
            switch type {
            case 1 where value.count == size: address = Array(value.slice)
            case 2 where value.count == size: local = Array(value.slice)
            case 8: allFlags = value.native32(at: 0) ?? allFlags
            default: break
            }
        }
        // On a point-to-point link IFA_ADDRESS is the peer's address.
        guard let bytes = local ?? address else { return nil }
        self.init(index: index, bytes: bytes, prefixLength: prefixLength, scope: scope, flags: allFlags)
    }
}
