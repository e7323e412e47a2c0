package import CleatIO

extension VarlinkServer {
    /// What a server says of itself, and how it treats its clients.
    package struct Configuration: Sendable {
        /// Who makes the service; `GetInfo` returns it.
        package var vendor: String
        /// The service's name.
        package var product: String
        /// The service's version.
        package var version: String
        /// Where to read about it.
        package var url: String
        /// What a client may use.
        package var limits: VarlinkLimits
        /// Makes the error for a connection for which there is no room, from the limit that was reached.
        package var tooManyConnections: @Sendable (_ limit: Int) -> VarlinkError
        /// Tells the users for whom ``VarlinkLimits/reserved`` connections are kept, and who may have all.
        package var isPrivileged: @Sendable (PeerCredentials) -> Bool
        /// Tells the clients whose far end may be gone without the connection's end, as behind a relay over SSH.
        package var isRemote: @Sendable (PeerCredentials) -> Bool
        /// Whether every reply and error is checked against its description before it is sent; for tests.
        package var checksReplies: Bool
        /// Decides who may call what, before the parameters are looked at; nil lets the call through.
        package var access: @Sendable (_ peer: PeerCredentials, _ interface: String, _ method: String) -> VarlinkError?
        /// Makes an error for the client of anything that a service throws and that is no ``VarlinkError``.
        package var mapError: @Sendable (any Error) -> VarlinkError
        /// Hears why a connection ended.
        package var ended: (@Sendable (PeerCredentials, VarlinkDisconnection) -> Void)?

        /// Makes a configuration.
        package init(
            vendor: String, product: String, version: String, url: String, limits: VarlinkLimits = .standard,
            tooManyConnections: @escaping @Sendable (_ limit: Int) -> VarlinkError,
            isPrivileged: @escaping @Sendable (PeerCredentials) -> Bool = { _ in true },
            isRemote: @escaping @Sendable (PeerCredentials) -> Bool = { _ in false }, checksReplies: Bool = false,
            access: @escaping @Sendable (PeerCredentials, String, String) -> VarlinkError? = { _, _, _ in nil },
            mapError: @escaping @Sendable (any Error) -> VarlinkError,
            ended: (@Sendable (PeerCredentials, VarlinkDisconnection) -> Void)? = nil
        ) {
            self.vendor = vendor
            self.product = product
            self.version = version
            self.url = url
            self.limits = limits
            self.tooManyConnections = tooManyConnections
            self.isPrivileged = isPrivileged
            self.isRemote = isRemote
            self.checksReplies = checksReplies
            self.access = access
            self.mapError = mapError
            self.ended = ended
        }
    }

    /// What a server has seen since it was made.
    package struct Counters: Sendable, Hashable {
        /// Connections that were served, or still are.
        package var accepted = 0
        /// Connections for which there was no room.
        package var refused = 0
        /// Connections that are served now.
        package var active = 0
        /// Connections that were closed because of what they sent.
        package var malformed = 0
        /// Connections that were closed because their client did not read, had others wait for its message, or made no
        /// call.
        package var stalled = 0
        /// Calls that came, refused ones and those without a reply included.
        package var calls = 0
    }
}

/// Says why a server's connection ended.
package enum VarlinkDisconnection: Sendable, Hashable {
    /// The client closed it.
    case closed
    /// The client sent something that is not a call; the text says what.
    case malformed(String)
    /// The client did not read what was sent for longer than the limit.
    case stalled
    /// The client held back a large message for longer than the limit, while others waited to send theirs.
    case unfinished
    /// A service closed it.
    case disconnected
    /// The server was stopped.
    case stopped
    /// The limit of connections was reached.
    case refused
    /// Another client of the same user needed its place, and its own far end may be gone.
    case replaced
    /// The client made no call within the limit.
    case silent
}

/// A reply that the interface's description does not allow.
package struct VarlinkReplyMismatch: Error, Sendable, CustomStringConvertible {
    /// The method or the error.
    package let name: String
    /// The first member that is wrong.
    package let member: String
    /// Names both.
    package var description: String { "\(name) was answered with a '\(member)' that its description does not allow" }
}
