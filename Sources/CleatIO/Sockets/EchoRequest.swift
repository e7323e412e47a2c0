/// An ICMP echo request, and the check of its replies. RFC 792, RFC 4443
struct EchoRequest: Sendable {
    private let isV4: Bool
    private let isRaw: Bool
    /// The identifier by which a raw socket finds the replies to this process; a datagram socket gets the kernel's.
    private let identifier: UInt16
    /// The sequence number of the request.
    var sequence: UInt16 = 0

    /// Makes a request for a datagram socket, or for a raw one.
    init(isV4: Bool, isRaw: Bool, identifier: UInt16 = .random(in: 1 ... .max)) {
        self.isV4 = isV4
        self.isRaw = isRaw
        self.identifier = isRaw ? identifier : 0
    }

    /// The bytes to send; the kernel fills in the checksum, except on a raw socket of IPv4.
    var bytes: [UInt8] {
        var bytes: [UInt8] = [
            isV4 ? 8 : 128, 0, 0, 0, UInt8(identifier >> 8), UInt8(identifier & 255), UInt8(sequence >> 8),
            UInt8(sequence & 255),
        ]
        bytes += [UInt8](repeating: 0x63, count: 24)
        if isRaw, isV4 {
            let sum = Self.checksum(bytes)
            (bytes[2], bytes[3]) = (UInt8(sum >> 8), UInt8(sum & 255))
        }
        return bytes
    }

    /// Returns true if a datagram is a reply: on a raw socket, one with this identifier; a datagram socket receives
    /// only its own replies.
    func isAnswered(by datagram: [UInt8]) -> Bool {
        var reply = datagram[...]
        if isRaw, isV4 {
            // A raw socket of IPv4 also delivers the IP header; its length is in 32-bit words.
            guard let first = reply.first else { return false }
            reply = reply.dropFirst(Int(first & 15) * 4)
        }
        guard reply.count >= 8, reply[reply.startIndex] == (isV4 ? 0 : 129) else { return false }
        let start = reply.startIndex + 4
        return !isRaw || UInt16(reply[start]) << 8 | UInt16(reply[start + 1]) == identifier
    }

    /// Returns the Internet checksum. RFC 1071
    static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            sum += UInt32(bytes[index]) << 8 | UInt32(index + 1 < bytes.count ? bytes[index + 1] : 0)
        }
        while sum > 0xffff { sum = sum >> 16 + sum & 0xffff }
        return UInt16(~sum & 0xffff)
    }
}
