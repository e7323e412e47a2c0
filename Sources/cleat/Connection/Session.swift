import CleatAPI
import CleatJSON
import CleatVarlink

/// A session with the service, on this machine or a remote board.
final class Session {
    private var client: VarlinkClient
    private var tunnel: SSHTunnel?
    /// The present destination.
    private(set) var destination: Destination
    /// The time limit of one reply; nil for none.
    private let timeLimit: Duration?

    /// Opens a session.
    ///
    /// - Parameters:
    ///   - destination: the service.
    ///   - timeLimit: the time limit of one reply; nil for none.
    /// - Throws: a ``CommandError`` with the reason why it cannot be opened.
    init(_ destination: Destination, timeLimit: Duration? = nil) throws(CommandError) {
        self.destination = destination
        self.timeLimit = timeLimit
        switch destination {
        case .local(let socket):
            tunnel = nil
            do throws(VarlinkClientError) {
                client = try VarlinkClient.connect(path: socket)
            } catch {
                throw CommandError(error, socket: socket)
            }
            // A service of the command's own serves this process only.
            if RootService.ownRoot(socket: socket) == nil { try authenticate(socket) }
        case .root(let directory): throw RootService.missing(directory)
        case .remote(let access):
            let tunnel = try SSHTunnel(access)
            self.tunnel = tunnel
            do throws(VarlinkClientError) {
                client = try VarlinkClient(reading: tunnel.reading, writing: tunnel.writing)
            } catch {
                throw CommandError(error)
            }
        }
    }

    /// Proves the token of the process, if it has one.
    private func authenticate(_ socket: String) throws(CommandError) {
        do {
            guard let parameters = try ServiceSocket.authentication(Process.environment) else { return }
            _ = try client.call(ServiceInterface.Authenticate.name, parameters.encoded, timeout: timeLimit)
        } catch {
            if let error = error as? VarlinkClientError, APIError.tokenRefusal(error) == nil {
                throw CommandError(error, socket: socket)
            }
            throw CommandError(
                status: .denied, layer: .authenticate, code: "Token",
                message: APIError.tokenRefusal(error) ?? "\(error)", remedy: APIError.tokenRemedy)
        }
    }

    /// Closes this connection and continues with that of another session, which must not be used any more.
    func takeOver(_ other: Session) {
        leave()
        (client, tunnel, destination) = (other.client, other.tunnel, other.destination)
    }

    /// Closes the connection, and ends ssh.
    func leave() {
        client.close()
        tunnel?.leave()
        tunnel = nil
    }

    /// Calls a method with one reply.
    func call<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandError) -> Method.Reply {
        let reply: JSONObject
        do {
            reply = try client.call(Method.name, parameters.encoded, timeout: timeLimit)
            tunnel?.hasAnswered = true
        } catch {
            throw explained(error)
        }
        return try Self.decode(Method.self, reply)
    }

    /// Returns the status of the service; without counters, if they are not needed.
    func status(counters: Bool) throws(CommandError) -> ServiceInterface.Status.Reply {
        guard !counters else { return try call(ServiceInterface.Status.self, .init()) }
        do throws(CommandError) {
            return try call(ServiceInterface.Status.self, .init(counters: false))
        } catch {
            // Earlier services cannot omit them.
            guard VarlinkError(error.code, error.parameters) == .invalidParameter("counters") else { throw error }
            return try call(ServiceInterface.Status.self, .init())
        }
    }

    /// Sends a call without waiting; ``answer(to:)`` returns its reply.
    ///
    /// Several calls can be in flight. The replies arrive in the order of the calls.
    func callAhead<Method: APIMethod>(_ method: Method.Type, _ parameters: Method.Parameters) throws(CommandError) {
        do {
            try client.callAhead(Method.name, parameters.encoded)
        } catch {
            throw explained(error)
        }
    }

    /// Returns the reply to the first of the calls that were sent ahead.
    func answer<Method: APIMethod>(to method: Method.Type) throws(CommandError) -> Method.Reply {
        let reply: JSONObject
        do {
            reply = try client.replyToCallAhead(Method.name)
            tunnel?.hasAnswered = true
        } catch {
            throw explained(error)
        }
        return try Self.decode(Method.self, reply)
    }

    /// The descriptor that becomes readable when such a reply arrives, or the connection ends.
    var descriptor: Int32 { client.descriptor }

    /// Reads and discards the replies to all calls that were sent ahead, after a failure.
    func dropCallsAhead() { client.dropCallsAhead() }

    /// Calls a method with several replies, until the last one or until the body returns false.
    func stream<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, each body: (Method.Reply) throws(CommandError) -> Bool
    ) throws(CommandError) {
        try stream(method, parameters, reading: { _ in nil }, each: body)
    }

    /// Follows events until the body returns false; those of sources that this release does not know are skipped.
    func follow(
        _ parameters: EventsInterface.Subscribe.Parameters,
        each body: (EventsInterface.Subscribe.Reply) throws(CommandError) -> Bool
    ) throws(CommandError) {
        try stream(
            EventsInterface.Subscribe.self, parameters, reading: { _ in nil },
            skipping: EventsInterface.Subscribe.Reply.isOfLaterSource, each: body)
    }

    /// Lists settings, page by page, until the last one or until the body returns false.
    func list(
        _ parameters: SettingsInterface.List.Parameters,
        each body: (SettingsInterface.List.Reply) throws(CommandError) -> Bool
    ) throws(CommandError) {
        try stream(
            SettingsInterface.List.self, parameters, reading: SettingsInterface.List.Reply.read,
            each: body)
    }

    private func stream<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters,
        reading: (ArraySlice<UInt8>) -> (reply: Method.Reply, continues: Bool)?,
        skipping: (JSONObject) -> Bool = { _ in false },
        each body: (Method.Reply) throws(CommandError) -> Bool
    ) throws(CommandError) {
        do {
            let isWhole = try client.stream(
                Method.name, parameters.encoded,
                reading: { message in
                    guard let page = reading(message) else { return nil }
                    tunnel?.hasAnswered = true
                    return (page.continues, try body(page.reply))
                },
                each: { reply in
                    tunnel?.hasAnswered = true
                    guard !skipping(reply) else { return true }
                    return try body(try Self.decode(Method.self, reply))
                })
            // After the last reply, the connection can be used for the next call.
            if !isWhole { tunnel?.abandon() }
        } catch let error as CommandError {
            tunnel?.abandon()
            throw error
        } catch let error as VarlinkClientError {
            throw explained(error)
        } catch {
            throw Self.garbled(Method.name, "\(error)")
        }
    }

    private func explained(_ error: VarlinkClientError) -> CommandError {
        switch destination {
        case .local(let socket): return CommandError(error, socket: socket)
        case .root(let directory): return RootService.missing(directory)
        case .remote:
            guard let tunnel, error.remote == nil else { return CommandError(error) }
            switch error.code {
            case .closed, .transport: return tunnel.failure(isGarbled: false)
            case .protocolViolation: return tunnel.failure(isGarbled: true)
            default: return CommandError(error)
            }
        }
    }

    private static func decode<Method: APIMethod>(
        _ method: Method.Type, _ reply: JSONObject
    ) throws(CommandError) -> Method.Reply {
        do {
            return try Method.Reply(wire: reply)
        } catch {
            throw garbled(Method.name, "\(error)")
        }
    }

    private static func garbled(_ method: String, _ error: String) -> CommandError {
        CommandError(
            status: .failure, layer: .speak, code: "Reply",
            message: "the reply to \(method) is not valid: \(error)",
            remedy: CommandError.otherVersion)
    }
}

/// The service that a command connects to.
enum Destination: Hashable, Sendable {
    /// The service at a socket on this machine.
    case local(socket: String)
    /// A service that the command starts itself, for the system below a directory (an absolute path).
    case root(String)
    /// The service on a remote board.
    case remote(RemoteAccess)
}

extension ServiceSocket {
    /// Returns the path of the service's socket for this process.
    static func path(option: String?) -> String {
        // Most callers name it; that avoids the system calls of the search.
        if let named = option ?? Process.environment(variable), !named.isEmpty { return named }
        return path(
            option: option, user: Process.effectiveUser, environment: Process.environment, exists: LocalFiles.exists)
    }
}
