package import SystemPackage

/// The reason why another machine was not reached.
package enum ReachError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel allows this process neither ICMP nor raw sockets; `groups` is the value of
    /// `net.ipv4.ping_group_range`.
    case notAllowed(groups: String)
    /// The link of a link-local IPv6 address does not exist.
    case noLink(String)
    /// No reply arrived within this time.
    case noAnswer(Duration)
    /// The kernel or the other machine refused.
    case refused(Errno)
    /// The wait was cancelled.
    case cancelled

    /// The reason as half a sentence.
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
