internal import CleatIO

/// One message of rtnetlink, reduced to the parts that Cleat uses.
package struct RouteMessage: Sendable, Equatable {
    /// The content of a message.
    package enum Body: Sendable, Equatable {
        /// A link exists or has changed (`RTM_NEWLINK`).
        case link(LinkRecord)
        /// A link was removed (`RTM_DELLINK`).
        case linkRemoved(index: Int32, name: String?)
        /// A link has an address, or the address has changed (`RTM_NEWADDR`).
        case address(AddressRecord)
        /// A link has lost an address (`RTM_DELADDR`).
        case addressRemoved(AddressRecord)
        /// Default routes exist or have changed (`RTM_NEWROUTE`); empty for any other route.
        case routes([DefaultRoute])
        /// Default routes were removed (`RTM_DELROUTE`); empty for any other route.
        case routesRemoved([DefaultRoute])
        /// A dump is complete (`NLMSG_DONE`).
        case done
        /// The kernel refused a request, or acknowledged it with 0 (`NLMSG_ERROR`).
        case failure(errno: Int32)
        /// The kernel reports that it lost messages (`NLMSG_OVERRUN`).
        case overrun
        /// A message that Cleat does not use, or whose body cannot be parsed.
        case other(type: UInt16)
    }

    /// The number of the request that the message answers or was caused by.
    package var sequence: UInt32
    /// True if the message is part of a dump (`NLM_F_MULTI`).
    package var multipart: Bool
    /// True if the dump was interrupted by a change and must be repeated (`NLM_F_DUMP_INTR`).
    package var interrupted: Bool
    /// The content.
    package var body: Body

    /// The largest number of messages that are read from one datagram.
    static let limit = 4_096
    private static let headerSize = 16

    /// Parses all messages of a datagram; stops at the first with an invalid length.
    ///
    /// - Returns: The messages, and true if the datagram does not end with the last of them.
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
        case 24: return .routes(DefaultRoute.parse(payload))
        case 25: return .routesRemoved(DefaultRoute.parse(payload))
        default: return .other(type: type)
        }
    }
}

/// The attributes that follow the fixed part of an rtnetlink message.
struct RouteAttributes: Sequence, IteratorProtocol {
    /// The largest number of attributes that are read from one message.
    static let limit = 512

    private let view: ByteView
    private var offset = 0
    private var seen = 0

    /// Makes a sequence of the attributes in a view; it ends at the first invalid one.
    init(_ view: ByteView?) {
        self.view = view ?? ByteView([])
    }

    mutating func next() -> (type: UInt16, value: ByteView)? {
        guard seen < Self.limit, let length = view.native16(at: offset).map({ Int($0) }), length >= 4,
            let type = view.native16(at: offset + 2), let value = view.part(at: offset + 4, count: length - 4)
        else { return nil }
        seen += 1
        offset += (length + 3) & ~3
        // The two highest bits mean "nested" and "network byte order".
        return (type & 0x3fff, value)
    }
}
