package import SystemPackage

/// One request to rtnetlink. rtnetlink(7)
package struct RouteRequest: Hashable, Sendable {
    /// What is asked for (`RTM_*`).
    package enum Kind: UInt16, Hashable, Sendable {
        case setLink = 16
        case getLink = 18
        case addAddress = 20
        case removeAddress = 21
        case getAddresses = 22
        case addRoute = 24
        case removeRoute = 25
        case getRoutes = 26
    }

    /// What is asked for.
    package let kind: Kind
    /// The fixed part of the object, and its attributes.
    package let body: [UInt8]
    /// Whether all objects are asked for.
    package let isDump: Bool

    /// Takes a request.
    package init(_ kind: Kind, body: [UInt8], attributes: [RouteAttribute] = [], isDump: Bool = false) {
        self.kind = kind
        self.body = body + attributes.flatMap(\.encoded)
        self.isDump = isDump
    }

    /// The request with its header (`struct nlmsghdr`).
    func encoded(sequence: UInt32) -> [UInt8] {
        // NLM_F_REQUEST, with NLM_F_DUMP, or NLM_F_ACK; what is added must not be there (NLM_F_CREATE | NLM_F_EXCL).
        var flags: UInt16 = 0x1 | (isDump ? 0x300 : 0x4)
        if kind == .addAddress || kind == .addRoute { flags |= 0x400 | 0x200 }
        var bytes = NativeBytes.bytes(UInt32(truncatingIfNeeded: body.count + 16))
        bytes += NativeBytes.bytes(kind.rawValue)
        bytes += NativeBytes.bytes(flags)
        bytes += NativeBytes.bytes(sequence)
        // The kernel fills in whose request it is.
        bytes += [0, 0, 0, 0]
        return bytes + body
    }
}

/// Says why the kernel has refused a request.
package struct RouteRefusal: Hashable, Sendable {
    /// Its error.
    package let errno: Errno
    /// What it says in words (`NLMSGERR_ATTR_MSG`), where it does.
    package let text: String?

    /// Takes both.
    package init(_ errno: Errno, text: String? = nil) {
        self.errno = errno
        self.text = text
    }
}
