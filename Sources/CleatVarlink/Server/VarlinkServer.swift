package import CleatIO
internal import Synchronization
internal import SystemPackage

/// Serves Varlink interfaces to the clients of Unix sockets.
///
/// Each connection has a task of its own on the loop and one call at a time, in order; calls that a client sends ahead
/// wait in the socket. A failure in one connection ends only that one.
///
/// - A call with an unknown member, or one that requests an upgrade, is refused with `InvalidParameter`.
/// - A message that is not a call ends the connection: there is nothing to answer.
/// - A client that hangs up cancels a call with `more`; one that only ends its own half still gets its replies.
/// - Only a limited number of large messages is received at once; the others wait in the socket. A client that makes
///   others wait for the rest of its message is disconnected.
/// - A reply waits for space in a bounded queue; a client that reads nothing within the stall limit is disconnected.
/// - Users that are not privileged have a limited number of connections each, and some connections are reserved for
///   privileged users; a client that makes no call is disconnected.
/// - Strangers, who may only prove an identity, have few connections, short messages and little time.
package actor VarlinkServer {
    private nonisolated let loop: EventLoop
    private nonisolated let configuration: Configuration
    private nonisolated let router: ServiceRouter

    private nonisolated let calls = CallCount()
    private nonisolated let budget: MessageBudget
    private var connections = Counters()
    /// The connections that are served now.
    private var served: [ObjectIdentifier: ServerConnection] = [:]
    private var limits: VarlinkLimits

    /// The counters since the server was created.
    package var counters: Counters {
        var counters = connections
        counters.calls = calls.value
        return counters
    }

    /// The number of connections that hold memory for a large message, and of those that wait for it.
    nonisolated var largeMessages: (held: Int, queued: Int) { budget.counts }

    /// The executor of the event loop on which the server runs.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates a server for some interfaces; it adds `org.varlink.service` itself.
    ///
    /// Of several services for the same interface the first one answers.
    package init(loop: EventLoop, services: [any VarlinkService], configuration: Configuration) {
        self.loop = loop
        self.configuration = configuration
        limits = configuration.limits
        budget = MessageBudget(loop: loop, limits: configuration.limits)
        router = ServiceRouter(services, configuration: configuration)
    }

    /// Changes the stall limit: for new connections the time in which a client must read, and at once the time that
    /// others wait for the rest of a message.
    package func setStallLimit(_ stall: Duration) {
        limits.stall = stall
        budget.setPatience(stall)
    }

    /// Serves all connections of a listener until the task is cancelled, which ends the connections too.
    package func serve(_ listener: UnixListener) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while true {
                let stream = try await listener.accept()
                group.addTask(executorPreference: loop) { await self.serve(stream) }
            }
        }
    }

    /// Serves one connection until its client or the server ends it.
    package func serve(_ stream: ByteStream) async {
        defer { stream.close() }
        guard let peer = stream.peer,
            let identity = configuration.authenticators.lazy.compactMap({ $0.identity(of: peer, presenting: nil) })
                .first
        else { return }
        if let limit = exceededLimit(for: identity), !replaceQuietConnection(of: identity) {
            connections.refused += 1
            // A socket that was just accepted has space for this; a disconnected client misses it.
            _ = try? stream.writeSome(OutgoingMessage.error(configuration.tooManyConnections(limit)))
            configuration.ended?(peer, .refused)
            return
        }
        connections.accepted += 1
        connections.active += 1
        let connection = ServerConnection(
            stream: stream, peer: peer, identity: identity, configuration: configuration, loop: loop,
            limits: limits, router: router, calls: calls, budget: budget)
        served[ObjectIdentifier(connection)] = connection
        let reason = await connection.run { await self.exceededLimit(for: connection.identity, among: connection) }
        connections.active -= 1
        served[ObjectIdentifier(connection)] = nil
        switch reason {
        case .malformed: connections.malformed += 1
        case .stalled, .unfinished, .silent: connections.stalled += 1
        default: break
        }
        configuration.ended?(peer, reason)
    }

    /// Returns the limit that a connection exceeds, a new one or `member` of those that are served; nil if there is none.
    private func exceededLimit(for identity: ClientIdentity, among member: ServerConnection? = nil) -> Int? {
        let others = served.values.filter { $0 !== member }
        let standing = configuration.standing(identity)
        if standing == .privileged { return others.count < limits.connections ? nil : limits.connections }
        let own = others.count { $0.identity.uid == identity.uid }
        if standing == .stranger {
            if own >= limits.strangers / 2 { return limits.strangers / 2 }
            let strangers = others.count { configuration.standing($0.identity) == .stranger }
            if strangers >= limits.strangers { return limits.strangers }
        }
        if own >= limits.perUser { return limits.perUser }
        let shared = limits.connections - limits.reserved
        return others.count < shared ? nil : shared
    }

    /// Closes the remote connection of the user that has been quiet for longest.
    ///
    /// - Returns: true if there was one.
    private func replaceQuietConnection(of identity: ClientIdentity) -> Bool {
        guard configuration.standing(identity) != .stranger else { return false }
        let before = BootTime.now().advanced(by: .zero - limits.quiet)
        let quiet = served.values.compactMap { connection -> (ServerConnection, BootTime)? in
            guard connection.identity.uid == identity.uid, let since = connection.quietSince, since <= before,
                configuration.isRemote(connection.peer)
            else { return nil }
            return (connection, since)
        }
        guard let (connection, _) = quiet.min(by: { $0.1 < $1.1 }) else { return false }
        connection.replace()
        return true
    }
}

/// Counts calls over all connections of a server.
final class CallCount: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}
