/// One message of rtnetlink, reduced to what Cleat follows.
package struct RouteMessage: Sendable, Hashable {
    /// What a message says.
    package enum Body: Sendable, Hashable {
        /// A link is there, or has changed (`RTM_NEWLINK`).
        case link(LinkRecord)
        /// A link has gone (`RTM_DELLINK`).
        case linkRemoved(index: Int32, name: String?)
        /// A link has an address (`RTM_NEWADDR`).
        case address(AddressRecord)
        /// A link has lost an address (`RTM_DELADDR`).
        case addressRemoved(AddressRecord)
        /// A dump is complete (`NLMSG_DONE`).
        case done
        /// The kernel refused a request, or acknowledged it with 0 (`NLMSG_ERROR`).
        case failure(errno: Int32)
        /// The kernel says that it lost messages (`NLMSG_OVERRUN`).
        case overrun
        /// Something that Cleat does not follow, or whose body makes no sense.
        case other(type: UInt16)
    }

    /// The number of the request that this answers, or caused it.
    package var sequence: UInt32
    /// Whether this is part of a dump.
    package var multipart: Bool
    /// Whether the dump that this is part of met a change and must be made again (`NLM_F_DUMP_INTR`).
    package var interrupted: Bool
    /// What it says.
    package var body: Body

    /// The most messages that one datagram may hold.
    static let limit = 4_096
    private static let headerSize = 16

    /// Parses all messages of a datagram; stops at the first whose length makes no sense.
    ///
    /// - Returns: The messages, and whether bytes were left over that are none.
    package static func parse(_ datagram: [UInt8]) -> (messages: [RouteMessage], malformed: Bool) {
        let view = ByteView(datagram)
        var messages: [RouteMessage] = []
        var offset = 0
        while view.count - offset >= headerSize {
            guard messages.count < limit, let length = view.native32(at: offset).map({ Int(clamping: $0) }),
                length >= headerSize, let message = view.part(at: offset, count: length),
                let type = message.native16(at: 4), let flags = message.native16(at: 6),
                let sequence = message.native32(at: 8),
                let payload = message.part(at: headerSize, count: length - headerSize)
            else { return (messages, true) }
            messages.append(
                RouteMessage(
                    sequence: sequence, multipart: flags & 0x2 != 0, interrupted: flags & 0x10 != 0,
                    body: body(type: type, payload)))
            offset += (length + 3) & ~3
        }
        return (messages, offset < view.count)
    }

    private static func body(type: UInt16, _ payload: ByteView) -> Body {
        switch type {
        case 2:
            guard let code = payload.native32(at: 0) else { return .other(type: type) }
            let (positive, overflow) = Int32(bitPattern: code).multipliedReportingOverflow(by: -1)
            return .failure(errno: overflow ? 0 : positive)
        case 3: return .done
        case 4: return .overrun
        case 16:
            guard let link = LinkRecord(payload) else { return .other(type: type) }
            return .link(link)
        case 17:
            guard let link = LinkRecord(payload) else { return .other(type: type) }
            return .linkRemoved(index: link.index, name: link.name)
        case 20:
            guard let address = AddressRecord(payload) else { return .other(type: type) }
            return .address(address)
        case 21:
            guard let address = AddressRecord(payload) else { return .other(type: type) }
            return .addressRemoved(address)
        default: return .other(type: type)
        }
    }
}

/// The attributes that follow the fixed part of an rtnetlink message.
struct RouteAttributes: Sequence, IteratorProtocol {
    /// The most attributes that are looked at in one message.
    static let limit = 512

    private let view: ByteView
    private var offset = 0
    private var seen = 0

    /// Reads attributes from bytes; what makes no sense ends the sequence.
    init(_ view: ByteView?) {
        self.view = view ?? ByteView([])
    }

    mutating func next() -> (type: UInt16, value: ByteView)? {
        guard seen < Self.limit, let length = view.native16(at: offset).map({ Int($0) }), length >= 4,
            let type = view.native16(at: offset + 2), let value = view.part(at: offset + 4, count: length - 4)
        else { return nil }
        seen += 1
        offset += (length + 3) & ~3
        // The two highest bits say "nested" and "network byte order".
        return (type & 0x3fff, value)
    }
}
