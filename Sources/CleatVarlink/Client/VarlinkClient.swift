package import CleatIO
package import CleatJSON
internal import SystemPackage

/// A Varlink client that blocks until the replies come, without an event loop: for command line programs.
///
/// It uses a Unix socket or two pipes, such as those of an `ssh` that runs a relay on a board. It is used from one
/// thread, and has one call at a time under way, except for calls that are sent ahead.
package final class VarlinkClient {
    private static let chunk = 64 << 10

    private let port: BlockingPort
    private let limits: VarlinkLimits
    private var framer: MessageFramer
    private var isOpen = true
    /// The number of calls that were sent ahead and whose replies were not read yet.
    private var ahead = 0

    /// Creates a client that owns a descriptor to read from and one to write to; they may be the same.
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

    /// The descriptor that becomes readable when a reply to a call that was sent ahead arrives, or the connection ends.
    package var descriptor: Int32 { port.readingDescriptor }

    /// Connects to a Unix socket.
    ///
    /// - Parameters:
    ///   - path: The path of the socket; `@name` is in the abstract namespace.
    ///   - timeout: The time to wait while the service's queue of connections is full.
    ///   - limits: The maximum length of a message, and the maximum depth of its JSON.
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

    /// Calls a method and returns the parameters of its reply.
    ///
    /// - Parameters:
    ///   - method: The method with its interface: `org.varlink.service.GetInfo`.
    ///   - parameters: The parameters of the method.
    ///   - timeout: The time to wait for the reply; nil for no limit.
    /// - Returns: The reply's parameters.
    /// - Throws: ``VarlinkClientError``; with the code `remote` the connection can still be used.
    package func call(
        _ method: String, _ parameters: JSONObjectText = [:], timeout: Duration? = nil
    ) throws(VarlinkClientError) -> JSONObject {
        guard ahead == 0 else { throw VarlinkClientError(.busy, method) }
        let deadline = Deadline(after: timeout)
        try send(OutgoingMessage.call(method, parameters), method, deadline)
        return try onlyReply(method, deadline)
    }

    /// Sends a call whose reply is read later with ``replyToCallAhead(_:timeout:)``, so that the caller can prepare the
    /// next one while the service works on it.
    ///
    /// Replies come in the order of the calls. Only the calls or the replies that are under way may be large, not both:
    /// a client that waits until it can send does not read meanwhile.
    ///
    /// - Parameters:
    ///   - method: The method with its interface.
    ///   - parameters: The parameters of the method.
    ///   - timeout: The time to wait until it is sent; nil for no limit.
    /// - Throws: ``VarlinkClientError``.
    package func callAhead(
        _ method: String, _ parameters: JSONObjectText, timeout: Duration? = nil
    ) throws(VarlinkClientError) {
        try send(OutgoingMessage.call(method, parameters), method, Deadline(after: timeout))
        ahead += 1
    }

    /// Reads the reply to the first of the calls that were sent ahead.
    ///
    /// - Throws: ``VarlinkClientError``; with the code `remote` the connection, and the other calls, can still be used.
    package func replyToCallAhead(
        _ method: String, timeout: Duration? = nil
    ) throws(VarlinkClientError) -> JSONObject {
        guard ahead > 0 else { throw VarlinkClientError(.protocolViolation, "no call of \(method) was sent ahead") }
        ahead -= 1
        return try onlyReply(method, Deadline(after: timeout))
    }

    /// Reads and discards the replies to all calls that were sent ahead, errors included.
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
            throw VarlinkClientError(.protocolViolation, "\(method) was answered more than once, unrequested")
        }
        return reply.parameters
    }

    /// True if bytes have arrived that answer no call; the next reply would not be that of the next call.
    package var hasUnrequestedBytes: Bool { ahead == 0 && (framer.pending > 0 || port.isReadable) }

    /// Calls a method that may reply more than once, and passes each reply to `each`, the last one included.
    ///
    /// - Parameters:
    ///   - method: The method with its interface.
    ///   - parameters: The parameters of the method.
    ///   - timeout: The time to wait for each reply; nil for no limit.
    ///   - reading: Handles a reply as it was received, without its NUL, before it is decoded, and returns whether
    ///     another one follows and whether it is wanted; nil to have it decoded and passed to `each`.
    ///   - each: Handles a reply; false ends the call, and closes the connection unless it was the last reply.
    /// - Returns: True if the last reply was read, so that the connection can still be used.
    /// - Throws: ``VarlinkClientError``, or an error of `each`, which closes the connection too.
    @discardableResult
    package func stream(
        _ method: String, _ parameters: JSONObjectText = [:], timeout: Duration? = nil,
        reading: (ArraySlice<UInt8>) throws -> (continues: Bool, isWanted: Bool)? = { _ in nil },
        each: (JSONObject) throws -> Bool
    ) throws -> Bool {
        guard ahead == 0 else { throw VarlinkClientError(.busy, method) }
        try send(OutgoingMessage.call(method, parameters, more: true), method, Deadline(after: timeout))
        var finished = false
        defer { if !finished { close() } }
        while true {
            let message: ArraySlice<UInt8>
            do throws(VarlinkClientError) {
                message = try nextMessage(method, Deadline(after: timeout))
            } catch {
                close()
                throw error
            }
            if let read = try reading(message) {
                finished = !read.continues
                guard read.isWanted, read.continues else { return finished }
                // A client that reads as fast as the service writes would keep its processor for a whole time slice.
                Processor.yield()
                continue
            }
            let reply: IncomingReply
            do throws(VarlinkClientError) {
                reply = try decode(message)
            } catch {
                finished = error.code == .remote
                throw error
            }
            finished = !reply.continues
            guard try each(reply.parameters), reply.continues else { return finished }
        }
    }

    /// Closes the connection; does nothing if it is closed already.
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
            // A service that refused this connection has sent the reason before it closed it.
            if error == .brokenPipe || error == .connectionReset { return }
            close()
            throw failure(error, method)
        }
    }

    private func receive(_ method: String, _ deadline: Deadline) throws(VarlinkClientError) -> IncomingReply {
        do throws(VarlinkClientError) {
            return try decode(try nextMessage(method, deadline))
        } catch {
            if error.code != .remote { close() }
            throw error
        }
    }

    /// Decodes a reply; throws the error that it is.
    private func decode(_ message: ArraySlice<UInt8>) throws(VarlinkClientError) -> IncomingReply {
        let reply = try IncomingReply.decode(message, limits: limits)
        if let remote = reply.error { throw VarlinkClientError(remote: remote) }
        return reply
    }

    /// Waits for the next reply, and returns it without its NUL.
    private func nextMessage(_ method: String, _ deadline: Deadline) throws(VarlinkClientError) -> ArraySlice<UInt8> {
        while true {
            do throws(MessageFramer.Failure) {
                if let message = try framer.next() { return message }
            } catch {
                throw VarlinkClientError(.protocolViolation, "\(error)")
            }
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
