package import CleatIO
internal import SystemPackage

/// Serves Varlink interfaces to the clients of Unix sockets.
///
/// Each connection has a task of its own on the loop and one call at a time, in order; calls that a client sends ahead
/// wait in the socket. What goes wrong in one connection ends that one alone.
///
/// - A call with an unknown member, or one that asks for an upgrade, is refused with `InvalidParameter`.
/// - What is no call at all ends the connection: there is nothing to answer.
/// - A client that hangs up cancels a call with `more`; one that only ends its own half gets its replies.
/// - Of large messages only so many are taken in at once; a client whose turn has not come waits in the socket, and one
///   that has others wait for the rest of its message is disconnected.
/// - A reply waits for room in a bounded queue; a client that takes nothing for the stall limit is disconnected.
package actor VarlinkServer {
    private nonisolated let loop: EventLoop
    private nonisolated let configuration: Configuration
    private nonisolated let router: ServiceRouter
    private nonisolated let refusal: [UInt8]

    private nonisolated let calls = CallCount()
    private nonisolated let budget: MessageBudget
    private var connections = Counters()
    private var limits: VarlinkLimits

    /// What was seen since the server was made.
    package var counters: Counters {
        var counters = connections
        counters.calls = calls.value
        return counters
    }

    /// How many connections hold room for a large message, and how many wait for it.
    nonisolated var largeMessages: (held: Int, queued: Int) { budget.counts }

    /// Where the server runs.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Makes a server for some interfaces; `org.varlink.service` is its own.
    ///
    /// Of two services for the same interface the first one answers.
    package init(loop: EventLoop, services: [any VarlinkService], configuration: Configuration) {
        self.loop = loop
        self.configuration = configuration
        limits = configuration.limits
        budget = MessageBudget(loop: loop, limits: configuration.limits)
        router = ServiceRouter(services, configuration: configuration)
        refusal = OutgoingMessage.error(configuration.tooManyConnections)
    }

    /// Changes how long a client may take nothing, for connections that are made from now on, and how long others wait
    /// for the rest of its message, at once.
    package func setStallLimit(_ stall: Duration) {
        limits.stall = stall
        budget.setPatience(stall)
    }

    /// Serves all connections of a listener until the task is cancelled, which ends them too.
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
        guard let peer = stream.peer, connections.active < configuration.limits.connections else {
            connections.refused += 1
            // A socket that was just accepted has room for this; a client that is gone misses it.
            _ = try? stream.writeSome(refusal)
            if let peer = stream.peer { configuration.ended?(peer, .refused) }
            return
        }
        connections.accepted += 1
        connections.active += 1
        let connection = ServerConnection(
            stream: stream, peer: peer, loop: loop, limits: limits, router: router, calls: calls, budget: budget)
        let reason = await connection.run()
        connections.active -= 1
        switch reason {
        case .malformed: connections.malformed += 1
        case .stalled, .unfinished: connections.stalled += 1
        default: break
        }
        configuration.ended?(peer, reason)
    }
}
