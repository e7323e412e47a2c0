package import CleatIO
package import CleatJSON
internal import SystemPackage

/// Calls a Varlink service and waits for its replies, without an event loop: for command line programs.
///
/// It speaks over a Unix socket or over two pipes, such as those of an `ssh` that runs a relay on a board. It is used from
/// one thread, and serves one call at a time, but for those that are sent ahead.
package final class VarlinkClient {
    private static let chunk = 64 << 10

    private let port: BlockingPort
    private let limits: VarlinkLimits
    private var framer: MessageFramer
    private var isOpen = true
    /// How many calls were sent ahead whose replies are still to come.
    private var ahead = 0

    /// Takes over a descriptor to read from and one to write to; they may be the same.
    ///
    /// - Throws: ``VarlinkClientError`` with the code `transport` where one of them is not open.
    package convenience init(
        reading: Descriptor, writing: Descriptor, limits: VarlinkLimits = .standard
    ) throws(VarlinkClientError) {
        do throws(Errno) {
            self.init(port: try BlockingPort(reading: reading, writing: writing), limits: limits)
        } catch {
            throw VarlinkClientError(.transport, "opening", errno: error)
        }
    }

    private init(port: BlockingPort, limits: VarlinkLimits) {
        self.port = port
        self.limits = limits
        framer = MessageFramer(limit: limits.message)
    }

    deinit { close() }

    /// What becomes readable when a reply comes to a call that was sent ahead, or the connection ends.
    package var descriptor: Int32 { port.readingDescriptor }

    /// Connects to a Unix socket.
    ///
    /// - Parameters:
    ///   - path: The socket; `@name` lies in the abstract space.
    ///   - timeout: How long to wait for a service that has too many callers in its queue.
    ///   - limits: The longest message and the deepest JSON that are taken.
    /// - Returns: A client that owns the connection.
    /// - Throws: ``VarlinkClientError`` with the code `connect` and, where the kernel refused, its `errno`.
    package static func connect(
        path: String, timeout: Duration = .seconds(10), limits: VarlinkLimits = .standard
    ) throws(VarlinkClientError) -> VarlinkClient {
        let address: UnixAddress
        do throws(SocketError) {
            address = try UnixAddress(path)
        } catch {
            throw VarlinkClientError(.connect, "\(error)")
        }
        do throws(Errno) {
            let port = try BlockingPort.connect(path: address.path, deadline: Deadline(after: timeout))
            return VarlinkClient(port: port, limits: limits)
        } catch {
            throw VarlinkClientError(.connect, path, errno: error)
        }
    }

    /// Calls a method and returns what it replied.
    ///
    /// - Parameters:
    ///   - method: The method with its interface: `org.varlink.service.GetInfo`.
    ///   - parameters: What the method takes.
    ///   - timeout: How long to wait for the reply, or nil for as long as it takes.
    /// - Returns: The reply's parameters.
    /// - Throws: ``VarlinkClientError``; with the code `remote` the connection can still be used.
    package func call(
        _ method: String, _ parameters: JSONObject = JSONObject(), timeout: Duration? = nil
    ) throws(VarlinkClientError) -> JSONObject {
        guard ahead == 0 else { throw VarlinkClientError(.busy, method) }
        let deadline = Deadline(after: timeout)
        try send(OutgoingMessage.call(method, parameters), method, deadline)
        return try onlyReply(method, deadline)
    }

    /// Sends a call whose reply is taken later, by ``replyToCallAhead(_:timeout:)``: the next one can be made ready while
    /// the service works on it.
    ///
    /// Replies come in the order of the calls. Of the calls and the replies that are under way only one kind may be large:
    /// whoever waits for room to send does not read meanwhile.
    ///
    /// - Parameters:
    ///   - method: The method with its interface.
    ///   - parameters: What the method takes.
    ///   - timeout: How long to wait until it is sent, or nil for as long as it takes.
    /// - Throws: ``VarlinkClientError``.
    package func callAhead(
        _ method: String, _ parameters: JSONObject, timeout: Duration? = nil
    ) throws(VarlinkClientError) {
        try send(OutgoingMessage.call(method, parameters), method, Deadline(after: timeout))
        ahead += 1
    }

    /// Takes the reply to the first of the calls that were sent ahead.
    ///
    /// - Throws: ``VarlinkClientError``; with the code `remote` the connection, and the other calls, can still be used.
    package func replyToCallAhead(
        _ method: String, timeout: Duration? = nil
    ) throws(VarlinkClientError) -> JSONObject {
        guard ahead > 0 else { throw VarlinkClientError(.protocolViolation, "no call of \(method) was sent ahead") }
        ahead -= 1
        return try onlyReply(method, Deadline(after: timeout))
    }

    /// Takes the replies to all calls that were sent ahead, and lets go of them, errors included.
    package func dropCallsAhead() {
        while ahead > 0, isOpen {
            _ = try? replyToCallAhead("")
        }
        ahead = 0
    }

    private func onlyReply(_ method: String, _ deadline: Deadline) throws(VarlinkClientError) -> JSONObject {
        let reply = try receive(method, deadline)
        if reply.continues {
            close()
            throw VarlinkClientError(.protocolViolation, "\(method) was answered more than once without being asked to")
        }
        return reply.parameters
    }

    /// Calls a method without waiting for anything; the service sends no reply, an error neither.
    package func callOneway(
        _ method: String, _ parameters: JSONObject = JSONObject(), timeout: Duration? = nil
    ) throws(VarlinkClientError) {
        try send(OutgoingMessage.call(method, parameters, oneway: true), method, Deadline(after: timeout))
    }

    /// Calls a method that may reply more than once, and hands over each reply, the last one included.
    ///
    /// - Parameters:
    ///   - method: The method with its interface.
    ///   - parameters: What the method takes.
    ///   - timeout: How long to wait for each reply, or nil for as long as it takes.
    ///   - each: Takes a reply; false ends the call, and the connection with it, unless it was the last.
    /// - Returns: Whether the last reply was read, so that the connection can still be used.
    /// - Throws: ``VarlinkClientError``, or what `each` throws, which ends the connection too.
    @discardableResult
    package func stream(
        _ method: String, _ parameters: JSONObject = JSONObject(), timeout: Duration? = nil,
        each: (JSONObject) throws -> Bool
    ) throws -> Bool {
        guard ahead == 0 else { throw VarlinkClientError(.busy, method) }
        try send(OutgoingMessage.call(method, parameters, more: true), method, Deadline(after: timeout))
        var finished = false
        defer { if !finished { close() } }
        while true {
            let reply: IncomingReply
            do throws(VarlinkClientError) {
                reply = try receive(method, Deadline(after: timeout))
            } catch {
                finished = error.code == .remote
                throw error
            }
            finished = !reply.continues
            guard try each(reply.parameters), reply.continues else { return finished }
        }
    }

    /// Closes the connection; more than once does nothing.
    package func close() {
        isOpen = false
        port.close()
    }

    // MARK: Messages

    private func send(_ message: [UInt8], _ method: String, _ deadline: Deadline) throws(VarlinkClientError) {
        guard message.count <= limits.message &+ 1 else { throw VarlinkClientError(.tooLarge, method) }
        guard isOpen else { throw VarlinkClientError(.closed, method) }
        do throws(Errno) {
            try port.write(message, deadline: deadline)
        } catch {
            // A service that turned this connection away has said why before it closed it.
            if error == .brokenPipe || error == .connectionReset { return }
            close()
            throw failure(error, method)
        }
    }

    private func receive(_ method: String, _ deadline: Deadline) throws(VarlinkClientError) -> IncomingReply {
        do throws(VarlinkClientError) {
            let reply = try nextReply(method, deadline)
            if let remote = reply.error { throw VarlinkClientError(remote: remote) }
            return reply
        } catch {
            if error.code != .remote { close() }
            throw error
        }
    }

    private func nextReply(_ method: String, _ deadline: Deadline) throws(VarlinkClientError) -> IncomingReply {
        while true {
            let message: ArraySlice<UInt8>?
            do throws(MessageFramer.Failure) {
                message = try framer.next()
            } catch {
                throw VarlinkClientError(.protocolViolation, "\(error)")
            }
            if let message { return try IncomingReply.decode(message, limits: limits) }
            let bytes: [UInt8]
            do throws(Errno) {
                bytes = try port.read(upTo: Self.chunk, deadline: deadline)
            } catch {
                throw failure(error, method)
            }
            if bytes.isEmpty { throw VarlinkClientError(.closed, method) }
            framer.append(bytes)
        }
    }

    private func failure(_ error: Errno, _ method: String) -> VarlinkClientError {
        switch error {
        case .timedOut: VarlinkClientError(.timedOut, method)
        case .connectionReset, .brokenPipe: VarlinkClientError(.closed, method, errno: error)
        default: VarlinkClientError(.transport, method, errno: error)
        }
    }
}
