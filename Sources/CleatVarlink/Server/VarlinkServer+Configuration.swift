package import CleatIO

extension VarlinkServer {
    /// The standing of a client, on which its limits depend.
    package enum Standing: Sendable, Equatable {
        /// It may make no call, except to prove an identity.
        case stranger
        /// It may make calls.
        case user
        /// It may use the ``VarlinkLimits/reserved`` connections and has no limit per user.
        case privileged
    }

    /// The information on a server, and its policies for clients.
    package struct Configuration: Sendable {
        /// The vendor of the service; `GetInfo` returns it.
        package var vendor: String
        /// The service's name.
        package var product: String
        /// The service's version.
        package var version: String
        /// The URL of the service's documentation.
        package var url: String
        /// The limits for clients.
        package var limits: VarlinkLimits
        /// Returns the error for a connection that exceeds a limit, from that limit.
        package var tooManyConnections: @Sendable (_ limit: Int) -> VarlinkError
        /// Returns the standing of a client.
        package var standing: @Sendable (ClientIdentity) -> Standing
        /// Returns true for clients whose remote end may be gone although the connection is open, as behind a relay
        /// over SSH.
        package var isRemote: @Sendable (PeerCredentials) -> Bool
        /// True if every reply and error is checked against its description before it is sent; for tests.
        package var checksReplies: Bool
        /// The methods by which clients prove their identity; the first that accepts a new connection decides.
        package var authenticators: [any Authenticator]
        /// Checks the access to a method before the parameters are validated; returns the error, or nil to allow the
        /// call.
        package var access:
            @Sendable (_ identity: ClientIdentity, _ interface: String, _ method: String) -> VarlinkError?
        /// Returns the error reply for an error of a service that is not a ``VarlinkError``.
        package var mapError: @Sendable (any Error) -> VarlinkError
        /// A function that is called when a connection has ended or was refused, with the reason.
        package var ended: (@Sendable (PeerCredentials, VarlinkDisconnection) -> Void)?

        /// Creates a configuration.
        package init(
            vendor: String, product: String, version: String, url: String, limits: VarlinkLimits = .standard,
            tooManyConnections: @escaping @Sendable (_ limit: Int) -> VarlinkError,
            standing: @escaping @Sendable (ClientIdentity) -> Standing = { _ in .privileged },
            isRemote: @escaping @Sendable (PeerCredentials) -> Bool = { _ in false }, checksReplies: Bool = false,
            authenticators: [any Authenticator] = [PeerAuthenticator()],
            access: @escaping @Sendable (ClientIdentity, String, String) -> VarlinkError? = { _, _, _ in nil },
            mapError: @escaping @Sendable (any Error) -> VarlinkError,
            ended: (@Sendable (PeerCredentials, VarlinkDisconnection) -> Void)? = nil
        ) {
            self.vendor = vendor
            self.product = product
            self.version = version
            self.url = url
            self.limits = limits
            self.tooManyConnections = tooManyConnections
            self.standing = standing
            self.isRemote = isRemote
            self.checksReplies = checksReplies
            self.authenticators = authenticators
            self.access = access
            self.mapError = mapError
            self.ended = ended
        }
    }

    /// The counters of a server since it was created.
    package struct Counters: Sendable, Equatable {
        /// The connections that were or are served.
        package var accepted = 0
        /// The connections that were refused because a limit was reached.
        package var refused = 0
        /// The connections that are served now.
        package var active = 0
        /// The connections that were closed because the client sent no valid call.
        package var malformed = 0
        /// The connections that were closed because the client did not read, made others wait for its message, or made
        /// no call.
        package var stalled = 0
        /// The received calls, refused ones and those without a reply included.
        package var calls = 0
    }
}

/// The reason why a server's connection ended.
package enum VarlinkDisconnection: Sendable, Hashable {
    /// The client closed it.
    case closed
    /// The client sent something that is not a call; the text describes it.
    case malformed(String)
    /// The client did not read its replies for longer than the limit.
    case stalled
    /// The client did not complete a large message within the limit, while others waited to send theirs.
    case unfinished
    /// A service closed it.
    case disconnected
    /// The server was stopped.
    case stopped
    /// A limit of connections was reached.
    case refused
    /// Another client of the same user needed its place, and the remote end of this one may be gone.
    case replaced
    /// The client made no call within the limit.
    case silent
}

/// A reply that the interface's description does not allow.
package struct VarlinkReplyMismatch: Error, Sendable, CustomStringConvertible {
    /// The name of the method or the error.
    package let name: String
    /// The path of the first member that is not allowed.
    package let member: String
    /// The mismatch as a clause.
    package var description: String { "\(name) was answered with a '\(member)' that its description does not allow" }
}
