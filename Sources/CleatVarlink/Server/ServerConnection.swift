internal import CleatIO
internal import CleatJSON
internal import Synchronization
internal import SystemPackage

/// One client's connection, which reads calls one after the other, has services answer them, and writes the replies.
final class ServerConnection: Sendable {
    private struct State {
        var connection: ConnectionState
        var outgoing: OutgoingQueue
        var senders: [OutgoingQueue.Ticket: CheckedContinuation<Void, any Error>] = [:]
        var tickets: OutgoingQueue.Ticket = 0
        /// The time of the last call, or of its end; nil while a call with a single reply is served.
        var quietSince: BootTime? = BootTime.now()
    }

    private let stream: ByteStream
    /// The client's process.
    let peer: PeerCredentials
    private let configuration: VarlinkServer.Configuration
    private let loop: EventLoop
    private let limits: VarlinkLimits
    private let router: ServiceRouter
    private let memo = ConnectionMemo()
    private let calls: CallCount
    private let budget: MessageBudget
    private let state: Mutex<State>

    init(
        stream: ByteStream, peer: PeerCredentials, identity: ClientIdentity, configuration: VarlinkServer.Configuration,
        loop: EventLoop, limits: VarlinkLimits, router: ServiceRouter, calls: CallCount, budget: MessageBudget
    ) {
        self.stream = stream
        self.peer = peer
        self.configuration = configuration
        self.loop = loop
        self.limits = limits
        self.router = router
        self.calls = calls
        self.budget = budget
        state = Mutex(
            State(connection: ConnectionState(identity), outgoing: OutgoingQueue(limit: limits.outgoing)))
    }

    // MARK: Reading

    /// Serves the client until one side ends the connection.
    ///
    /// - Parameter exceeded: Returns the limit that the connection exceeds since its client has proved an identity; nil
    ///   if there is none.
    /// - Returns: The reason of the end.
    func run(_ exceeded: @Sendable () async -> Int?) async -> VarlinkDisconnection {
        let silence = loop.addTimer(.now().advanced(by: limits.firstCall)) { [weak self] in self?.end(.silent) }
        var reader = Reader(
            stream: stream, loop: loop, limit: limits.message, budget: budget,
            large: { [self] in
                guard standing != .stranger else { throw MessageFramer.Failure.stranger }
                loop.cancelTimer(silence)
            }, evict: { self.end(.unfinished) })
        defer {
            loop.cancelTimer(silence)
            reader.release()
        }
        var isFirst = true
        do {
            while let decoded = try await reader.next(limits) {
                // A stranger has as much time as a client that makes no call.
                if isFirst, standing != .stranger {
                    loop.cancelTimer(silence)
                    isFirst = false
                }
                calls.increment()
                switch decoded {
                case .call(let call):
                    if call.more {
                        reader.mayHaveMissedAnEdge()
                        // The call may last for ever.
                        reader.release()
                    }
                    let outcome = try await serve(call)
                    if state.withLock({ $0.connection.takeProof() }) {
                        loop.cancelTimer(silence)
                        if let limit = await exceeded() {
                            try await enqueue(OutgoingMessage.error(configuration.tooManyConnections(limit)))
                            end(.refused)
                            return .refused
                        }
                    }
                    // A client that does not read its reply must not keep others from sending.
                    reader.release()
                    if let outcome { try await enqueue(outcome) }
                case .refused(let error, let oneway):
                    if !oneway { try await enqueue(OutgoingMessage.error(error)) }
                case .malformed(let reason):
                    end(.malformed(reason))
                    return .malformed(reason)
                }
            }
            // The client may have ended only its own half: it still gets its replies.
            try await enqueue([])
            end(.closed)
        } catch let error as MessageFramer.Failure {
            end(.malformed("\(error)"))
        } catch is CancellationError {
            end(.stopped)
        } catch {
            end(.closed)
        }
        return state.withLock { $0.connection.reason } ?? .closed
    }

    /// Ends the connection; the first reason stays.
    private func end(_ reason: VarlinkDisconnection) {
        let senders = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            guard state.connection.end(reason) else { return [] }
            return state.outgoing.close().compactMap { state.senders.removeValue(forKey: $0) }
        }
        for sender in senders { sender.resume(throwing: VarlinkSendError(.disconnected)) }
        stream.close()
    }

    /// The identity of the client.
    var identity: ClientIdentity { state.withLock { $0.connection.identity } }

    private var standing: VarlinkServer.Standing { configuration.standing(identity) }

    /// The time since which the client has made no call; nil while one with a single reply is served, or if the
    /// connection has ended.
    var quietSince: BootTime? { state.withLock { $0.connection.reason == nil ? $0.quietSince : nil } }

    /// Ends the connection, which another one of the same user replaces.
    func replace() { end(.replaced) }

    // MARK: Serving

    /// Serves a call; nil if the client takes no reply.
    private func serve(_ incoming: IncomingCall) async throws -> [UInt8]? {
        state.withLock { $0.quietSince = incoming.more ? BootTime.now() : nil }
        defer { state.withLock { $0.quietSince = BootTime.now() } }
        guard let serial = state.withLock({ $0.connection.begin() }) else { throw VarlinkSendError(.disconnected) }
        let outcome: [UInt8]?
        switch router.route(incoming, peer: peer, identity: identity, memo: memo, sink: self, serial: serial) {
        case .refused(let error): outcome = OutgoingMessage.error(error)
        case .call(let call, let service):
            outcome = incoming.more ? await stream(call, service) : await router.answer(call, service)
        }
        guard state.withLock({ $0.connection.finish(serial) }) else { throw VarlinkSendError(.disconnected) }
        if incoming.oneway { return nil }
        guard let outcome else {
            // Cancelled together with this task, or because the client has disconnected.
            try Task.checkCancellation()
            throw VarlinkSendError(.disconnected)
        }
        return outcome
    }

    /// Serves a call with many replies; its service is cancelled when the client has hung up.
    private func stream(_ call: VarlinkCall, _ service: any VarlinkService) async -> [UInt8]? {
        await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask(executorPreference: loop) { [router] in await router.answer(call, service) }
            group.addTask(executorPreference: loop) { [stream] in
                // Calls that the client has sent ahead wait in the socket; their epoll events are consumed here.
                while !stream.hungUp {
                    do { try await stream.readable() } catch { break }
                }
                return nil
            }
            var outcome: [UInt8]?
            while let result = await group.next() {
                if let result { outcome = result }
                group.cancelAll()
            }
            return outcome
        }
    }

    // MARK: Sending

    /// Sends a reply that is not the last one.
    func send(_ reply: consuming VarlinkReply, serial: UInt64) async throws {
        switch state.withLock({ $0.connection.sending(serial) }) {
        case .allowed: break
        case .callEnded: throw VarlinkSendError(.callEnded)
        case .disconnected: throw VarlinkSendError(.disconnected)
        }
        let message = OutgoingMessage.reply(reply, continues: true)
        guard message.count <= limits.message &+ 1 else { throw VarlinkSendError(.tooLarge) }
        try await enqueue(message)
    }

    /// True if the client has closed the connection.
    var isClosed: Bool { stream.hungUp }

    /// Proves another identity for the calls that follow.
    func authenticate(
        _ method: String, _ credential: String, serial: UInt64
    ) throws(AuthenticationError) -> ClientIdentity {
        let authenticator = configuration.authenticators.first { $0.method == method }
        return try state.withLock { state throws(AuthenticationError) in
            try state.connection.attempt(serial) { authenticator?.identity(of: peer, presenting: credential) }
        }
    }

    /// Closes the connection.
    func disconnect(serial: UInt64) {
        guard state.withLock({ $0.connection.sending(serial) }) == .allowed else { return }
        end(.disconnected)
    }

    /// Writes a message, or leaves it to the writer, or waits until the queue has space for it.
    private func enqueue(_ bytes: [UInt8]) async throws {
        let (action, ticket) = state.withLock { state in
            state.tickets &+= 1
            return (state.outgoing.enqueue(bytes, ticket: state.tickets), state.tickets)
        }
        switch action {
        case .queued: return
        case .closed: throw VarlinkSendError(.disconnected)
        case .write(let bytes):
            if let (rest, offset) = try writeNow(bytes) { startWriter(rest, offset) }
        case .wait: try await waitForSpace(ticket)
        }
    }

    private func waitForSpace(_ ticket: OutgoingQueue.Ticket) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // An event between the two locks is noticed here: the ticket no longer waits then.
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if state.outgoing.isClosed { return .failure(VarlinkSendError(.disconnected)) }
                    guard state.outgoing.isWaiting(ticket) else { return .success(()) }
                    if Task.isCancelled, state.outgoing.withdraw(ticket) { return .failure(CancellationError()) }
                    state.senders[ticket] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let sender = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard let sender = state.senders.removeValue(forKey: ticket) else { return nil }
                _ = state.outgoing.withdraw(ticket)
                return sender
            }
            sender?.resume(throwing: CancellationError())
        }
    }

    // MARK: Writing

    /// Writes until the socket accepts no more; returns the remaining bytes.
    private func writeNow(_ bytes: [UInt8], from offset: Int = 0) throws -> (rest: [UInt8], offset: Int)? {
        var bytes = bytes
        var offset = offset
        while true {
            let count: Int
            do {
                count = try stream.writeSome(bytes, from: offset)
            } catch {
                end(.closed)
                throw VarlinkSendError(.disconnected)
            }
            guard count > 0 else { return (bytes, offset) }
            offset += count
            let (next, senders) = state.withLock { state in
                let (next, woken) = state.outgoing.wrote(count)
                return (next, woken.compactMap { state.senders.removeValue(forKey: $0) })
            }
            for sender in senders { sender.resume() }
            switch next {
            case .goOn: break
            case .done: return nil
            case .write(let more): (bytes, offset) = (more, 0)
            }
        }
    }

    /// Starts a task that writes the remaining bytes, and waits for the socket at most as long as the stall limit.
    private func startWriter(_ bytes: [UInt8], _ offset: Int) {
        loop.task(name: "varlink writer") { [self] in
            var left: (rest: [UInt8], offset: Int)? = (bytes, offset)
            do {
                while let (rest, offset) = left {
                    try await loop.withDeadline(limits.stall) { [stream] in try await stream.writable() }
                    left = try writeNow(rest, from: offset)
                }
            } catch is DeadlineExceeded {
                end(.stalled)
            } catch {
                end(.closed)
            }
        }
    }
}
