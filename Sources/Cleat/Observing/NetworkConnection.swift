import Synchronization

/// The board's connection to its network as one value; see ``Cleat/connection``.
public enum NetworkConnection: Hashable, Sendable {
    /// A link is switched on and has a carrier, but no address yet.
    case connecting(link: String)
    /// A link has an address and the default route.
    case connected(link: String, address: String, gateway: String?)
    /// A link has an address, but no link has a default route: only the neighbourhood is reachable.
    case limited(link: String, address: String)
    /// The link of the connection has lost its carrier, and its address is still in place.
    case disconnecting(link: String)
    /// No link is ready for use.
    case disconnected
    /// The only address of a link is in use by another host.
    case error(link: String, duplicate: String)

    /// True if a link has an address and the default route.
    public var isConnected: Bool {
        if case .connected = self { return true }
        return false
    }

    /// Derives the connection from the links.
    ///
    /// - Parameters:
    ///   - links: the present links with their addresses and default routes.
    ///   - former: the connection before.
    init(_ links: [NetworkLink], after former: NetworkConnection) {
        let links = links.filter { $0.type != "loopback" }
        let ready = links.filter(\.isReady)
        let routes = ready.flatMap { link in link.defaultRoutes.map { (link: link, route: $0) } }
        // The kernel keeps metrics for each family apart, so IPv4 goes first, as in the list of a link.
        let used = routes.filter { $0.link.address(isIPv6: $0.route.isIPv6) != nil }
            .min { ($0.route.isIPv6 ? 1 : 0, $0.route.metric) < ($1.route.isIPv6 ? 1 : 0, $1.route.metric) }
        if let used, let address = used.link.address(isIPv6: used.route.isIPv6) {
            self = .connected(link: used.link.name, address: address, gateway: used.route.gateway)
        } else if let (link, address) = ready.lazy.compactMap({ link in link.anyAddress.map { (link, $0) } }).first {
            self = .limited(link: link.name, address: address)
        } else if let link = former.link,
            links.contains(where: { $0.name == link && $0.isUp && !$0.hasCarrier && $0.anyAddress != nil })
        {
            self = .disconnecting(link: link)
        } else if let link = ready.first(where: { !$0.duplicates.isEmpty }), let duplicate = link.duplicates.first {
            self = .error(link: link.name, duplicate: duplicate)
        } else if let link = ready.first {
            self = .connecting(link: link.name)
        } else {
            self = .disconnected
        }
    }

    /// The link of a connection that may end.
    private var link: String? {
        switch self {
        case .connected(let link, _, _), .limited(let link, _), .disconnecting(let link): link
        case .connecting, .disconnected, .error: nil
        }
    }
}

extension NetworkLink {
    /// True if packets can pass.
    fileprivate var isReady: Bool { isUp && hasCarrier }

    /// The first address of a family that can be used beyond the link.
    fileprivate func address(isIPv6: Bool) -> String? {
        addresses.first {
            $0.utf8.contains(UInt8(ascii: ":")) == isIPv6 && !Self.isLocal($0) && !duplicates.contains($0)
        }
    }

    fileprivate var anyAddress: String? { address(isIPv6: false) ?? address(isIPv6: true) }

    /// Returns true for an address that is valid on its link alone (RFC 3927, RFC 4291).
    private static func isLocal(_ address: String) -> Bool {
        if address.utf8.starts(with: "169.254.".utf8) { return true }
        // fe80::/10
        let start = address.utf8.prefix(4)
        return ["fe8", "fe9", "fea", "feb"].contains { start.starts(with: $0.utf8) } && start.count == 4
    }
}

/// The connection that a sequence has returned last.
final class ConnectionMemory: Sendable {
    private let former = Mutex(NetworkConnection.disconnected)

    /// Derives the connection from the present links, and keeps it.
    func next(_ links: [NetworkLink]) -> NetworkConnection {
        former.withLock { former in
            former = NetworkConnection(links, after: former)
            return former
        }
    }
}
