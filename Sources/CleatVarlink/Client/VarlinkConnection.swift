package import CleatIO
package import CleatJSON
internal import SystemPackage

/// A Varlink client for tasks on an event loop.
///
/// It has one call under way at a time; another call meanwhile throws the error `busy`. A task that is cancelled while
/// it waits for a reply closes the connection, since the next call would get that reply.
package actor VarlinkConnection {
    private nonisolated let loop: EventLoop
    private nonisolated let stream: ByteStream
    private let limits: VarlinkLimits
    private var framer: MessageFramer
    private var isBusy = false

    /// The executor of the event loop on which the connection runs.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates a connection that owns a stream.
    package init(loop: EventLoop, stream: ByteStream, limits: VarlinkLimits = .standard) {
        self.loop = loop
        self.stream = stream
        self.limits = limits
        framer = MessageFramer(limit: limits.message)
    }

    deinit { stream.close() }

    /// Connects to a Unix socket.
    package static func connect(
        path: String, loop: EventLoop, limits: VarlinkLimits = .standard
    ) async throws -> VarlinkConnection {
        let stream: ByteStream
        do {
            stream = try await ByteStream.connect(to: try UnixAddress(path), loop: loop)
        } catch let error as SocketError {
            throw VarlinkClientError(.connect, path, errno: error.underlying)
        }
        return VarlinkConnection(loop: loop, stream: stream, limits: limits)
    }

    /// Calls a method and returns the parameters of its reply.
    ///
    /// - Throws: ``VarlinkClientError``, or `CancellationError`.
    package func call(_ method: String, _ parameters: JSONObjectText = [:]) async throws -> JSONObject {
        try await exclusively(method) {
            try await send(OutgoingMessage.call(method, parameters), method)
            let reply = try await receive(method)
            guard !reply.continues else {
                close()
                throw VarlinkClientError(.protocolViolation, "\(method) was answered more than once")
            }
            return reply.parameters
        }
    }

    /// Calls a method that may reply more than once, and passes each reply to `each`, the last one included.
    ///
    /// - Parameters:
    ///   - method: The method with its interface.
    ///   - parameters: The parameters of the method.
    ///   - each: Handles a reply; false ends the call, and closes the connection unless it was the last reply.
    /// - Throws: ``VarlinkClientError``, `CancellationError`, or an error of `each`.
    package func stream(
        _ method: String, _ parameters: JSONObjectText = [:],
        each: @Sendable (JSONObject) async throws -> Bool
    ) async throws {
        try await exclusively(method) {
            try await send(OutgoingMessage.call(method, parameters, more: true), method)
            while true {
                let reply = try await receive(method)
                var goesOn = false
                defer { if reply.continues, !goesOn { close() } }
                goesOn = try await each(reply.parameters)
                guard goesOn, reply.continues else { return }
                // If the next reply is always there already, no suspension notices a cancellation.
                try Task.checkCancellation()
            }
        }
    }

    /// Closes the connection; does nothing if it is closed already.
    package nonisolated func close() { stream.close() }

    // MARK: Messages

    private func exclusively<T>(_ method: String, _ body: () async throws -> T) async throws -> T {
        guard !isBusy else { throw VarlinkClientError(.busy, method) }
        guard !stream.isClosed else { throw VarlinkClientError(.closed, method) }
        isBusy = true
        defer { isBusy = false }
        do {
            return try await body()
        } catch let error as VarlinkClientError {
            if error.code != .remote, error.code != .tooLarge { close() }
            throw error
        } catch {
            let wasOpen = !stream.isClosed
            close()
            // Waiting ends with this error, too, if another task closes the connection.
            if error is CancellationError, !wasOpen, !Task.isCancelled { throw VarlinkClientError(.closed, method) }
            throw error
        }
    }

    private func send(_ message: [UInt8], _ method: String) async throws {
        guard message.count <= limits.message &+ 1 else { throw VarlinkClientError(.tooLarge, method) }
        do {
            try await stream.write(message)
        } catch let error as Errno {
            // A service that refused this connection has sent the reason before it closed it.
            if error != .brokenPipe, error != .connectionReset {
                throw VarlinkClientError(.transport, method, errno: error)
            }
        }
    }

    private func receive(_ method: String) async throws -> IncomingReply {
        while true {
            let message: ArraySlice<UInt8>?
            do throws(MessageFramer.Failure) {
                message = try framer.next()
            } catch {
                throw VarlinkClientError(.protocolViolation, "\(error)")
            }
            if let message {
                let reply = try IncomingReply.decode(message, limits: limits)
                if let remote = reply.error { throw VarlinkClientError(remote: remote) }
                return reply
            }
            do {
                let bytes = try await stream.read()
                if bytes.isEmpty { throw VarlinkClientError(.closed, method) }
                framer.append(bytes)
            } catch let error as Errno {
                throw VarlinkClientError(.closed, method, errno: error)
            }
        }
    }
}
