package import SystemPackage

/// One request to rtnetlink; see rtnetlink(7).
package struct RouteRequest: Equatable, Sendable {
    /// The message type (`RTM_*`).
    package enum Kind: UInt16, Hashable, Sendable {
        case setLink = 16
        case removeLink = 17
        case getLink = 18
        case addAddress = 20
        case removeAddress = 21
        case getAddresses = 22
        case addRoute = 24
        case removeRoute = 25
        case getRoutes = 26
    }

    /// The message type.
    package let kind: Kind
    /// The fixed part of the object and its attributes.
    package let body: [UInt8]
    /// True if the request is for all objects.
    package let isDump: Bool
    /// True if the request adds an object, which must not exist.
    private let isNew: Bool

    /// Creates a request; a new link has the message type ``Kind/setLink``, too.
    package init(
        _ kind: Kind, body: [UInt8], attributes: [RouteAttribute] = [], isDump: Bool = false, isNew: Bool = false
    ) {
        self.kind = kind
        self.isNew = isNew || kind == .addAddress || kind == .addRoute
        self.body = body + attributes.flatMap(\.encoded)
        self.isDump = isDump
    }

    /// Returns the request with its header (`struct nlmsghdr`).
    func encoded(sequence: UInt32) -> [UInt8] {
        // NLM_F_REQUEST with NLM_F_DUMP, or NLM_F_ACK; NLM_F_CREATE and NLM_F_EXCL.
        let flags: UInt16 = 0x1 | (isDump ? 0x300 : 0x4) | (isNew ? 0x400 | 0x200 : 0)
        var bytes = NativeBytes.bytes(UInt32(truncatingIfNeeded: body.count + 16))
        bytes += NativeBytes.bytes(kind.rawValue)
        bytes += NativeBytes.bytes(flags)
        bytes += NativeBytes.bytes(sequence)
        // The port ID; the kernel fills it in.
        bytes += [0, 0, 0, 0]
        return bytes + body
    }
}

/// The kernel's refusal of a request.
package struct RouteRefusal: Equatable, Sendable {
    /// The error code.
    package let errno: Errno
    /// The kernel's message (`NLMSGERR_ATTR_MSG`), if there is one.
    package let text: String?

    /// Creates a refusal.
    package init(_ errno: Errno, text: String? = nil) {
        self.errno = errno
        self.text = text
    }
}
