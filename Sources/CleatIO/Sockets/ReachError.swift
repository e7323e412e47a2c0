package import SystemPackage

/// Says why another machine was not reached.
package enum ReachError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel gives this process no ICMP sockets, and no raw ones; `groups` is what `net.ipv4.ping_group_range` says.
    case notAllowed(groups: String)
    /// The link that an IPv6 address is local to is not there.
    case noLink(String)
    /// Nothing came back in this time.
    case noAnswer(Duration)
    /// The kernel, or the other machine, refused.
    case refused(Errno)
    /// The wait was cancelled.
    case cancelled

    /// What is wrong, as half a sentence.
    package var description: String {
        switch self {
        case .notAllowed(let groups):
            "the kernel allows no ICMP socket here: net.ipv4.ping_group_range is \"\(groups)\", and the service lacks "
                + "CAP_NET_RAW; allow it with: cleat set 'kernel/sysctl/net.ipv4.ping_group_range=0 2147483647'"
        case .noLink(let name): "there is no link \(name)"
        case .noAnswer(let time): "no answer within \(time.milliseconds) ms"
        case .refused(let error): "\(error)"
        case .cancelled: "the wait was cancelled"
        }
    }
}
