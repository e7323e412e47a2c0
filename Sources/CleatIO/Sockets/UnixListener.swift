internal import Synchronization
package import SystemPackage

/// Listens on a Unix socket.
package final class UnixListener: Sendable {
    private let loop: EventLoop
    private let socket: Descriptor
    private let readiness: Readiness
    private let identity: SocketCalls.FileIdentity?
    /// A spare descriptor, closed for a moment when descriptors have run out, so that a connection can be accepted and
    /// closed.
    private let spare: Mutex<Descriptor?>
    private let refusals = Atomic<Int>(0)
    private let turns: Turns

    /// The address that it listens on.
    package let address: UnixAddress

    /// The number of connections that were closed at once because descriptors had run out.
    package var refused: Int { refusals.load(ordering: .relaxed) }

    /// Binds a socket and listens on it.
    ///
    /// Mode and group are set before a client can connect. A socket left by a dead process is replaced. A socket with a
    /// listener, and a file that is not a socket, are errors and are not changed.
    ///
    /// - Parameters:
    ///   - loop: The loop that accepts.
    ///   - path: The path of the new socket; `@name` is in the abstract namespace.
    ///   - mode: The permissions of the socket.
    ///   - group: The group that owns the socket, or nil for the process's own.
    ///   - backlog: The number of connections that may wait to be accepted.
    /// - Throws: ``SocketError`` with the path and the remedy.
    package init(
        loop: EventLoop, path: String, mode: UInt32 = 0o600, group: UInt32? = nil, backlog: Int = 64
    ) throws(SocketError) {
        let address = try UnixAddress(path)
        do throws(Errno) {
            let socket = Descriptor(owning: try SocketCalls.unixSocket(nonblocking: true))
            do throws(Errno) {
                try SocketCalls.bind(socket.rawValue, to: path)
            } catch {
                guard error == .addressInUse, !address.isAbstract, try Self.removeStale(path) else { throw error }
                try SocketCalls.bind(socket.rawValue, to: path)
            }
            if address.isAbstract {
                identity = nil
            } else {
                // No client can connect before `listen`, so the socket is never reachable with other permissions.
                if let group { try SocketCalls.setGroup(path, group) }
                try SocketCalls.setMode(path, mode)
                identity = try SocketCalls.identify(path)
            }
            try SocketCalls.listen(socket.rawValue, backlog: Int32(clamping: backlog))
            self.loop = loop
            turns = Turns(loop: loop)
            self.address = address
            self.socket = socket
            readiness = try loop.register(socket.descriptor)
            spare = Mutex(Self.openSpare())
        } catch {
            throw SocketError(
                error == .notSocket ? .notASocket : SocketError(error, path: path).code, path: path, underlying: error)
        }
    }

    deinit { close() }

    /// Removes a socket without a listener; returns false if it has one, throws `ENOTSOCK` if the file is not a socket.
    private static func removeStale(_ path: String) throws(Errno) -> Bool {
        guard try SocketCalls.identify(path).isSocket else { throw .notSocket }
        guard try ServedSocket.state(of: path, kind: .stream) == .abandoned else { return false }
        try SocketCalls.unlink(path)
        return true
    }

    private static func openSpare() -> Descriptor? {
        (try? Kernel.openForReading("/dev/null")).map { Descriptor(owning: $0) }
    }

    /// Changes the permissions of the socket file, if it is still the one that was bound.
    package func setMode(_ mode: UInt32) throws(Errno) {
        guard let identity, try SocketCalls.identify(address.path) == identity else { return }
        try SocketCalls.setMode(address.path, mode)
    }

    /// Waits for the next connection.
    package func accept() async throws -> ByteStream {
        while true {
            do throws(Errno) {
                let connection = Descriptor(owning: try SocketCalls.accept(socket.rawValue))
                let stream = try ByteStream(loop: loop, socket: connection)
                await turns.take()
                return stream
            } catch {
                switch error {
                case .resourceTemporarilyUnavailable:
                    turns.reset()
                    try await readiness.readable()
                case .interrupted, .connectionAbort, .protocolError: continue
                case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noBufferSpace, .noSpace:
                    // Without a pause the waiting connection would keep the loop busy.
                    if !turnAway() { try await loop.sleep(for: .milliseconds(100)) }
                default: throw error
                }
            }
        }
    }

    /// Accepts a connection with the spare descriptor and closes it, so that its client notices at once.
    private func turnAway() -> Bool {
        spare.withLock { spare in
            guard spare != nil else {
                spare = Self.openSpare()
                return spare != nil
            }
            spare = nil
            let taken = (try? SocketCalls.accept(socket.rawValue)).map { Descriptor(owning: $0) }
            taken?.close()
            spare = Self.openSpare()
            if taken != nil { refusals.add(1, ordering: .relaxed) }
            return taken != nil
        }
    }

    /// Stops listening, and removes the socket file if it is still the one that was bound.
    ///
    /// Further calls do nothing.
    package func close() {
        guard socket.rawValue >= 0 else { return }
        if let identity, (try? SocketCalls.identify(address.path)) == identity { try? SocketCalls.unlink(address.path) }
        readiness.close()
        socket.close()
        spare.withLock { $0 = nil }
    }
}

/// The address of a Unix socket: a path, or `@name` in the abstract namespace.
package struct UnixAddress: Sendable, Hashable, CustomStringConvertible {
    /// The longest path that a socket can be bound to, in bytes.
    package static var pathLimit: Int { SocketCalls.unixPathLimit }

    /// The path, or `@` and the abstract name.
    package let path: String

    /// Makes an address.
    ///
    /// - Throws: ``SocketError`` if the path is empty, holds a NUL or is longer than ``pathLimit``.
    package init(_ path: String) throws(SocketError) {
        if path.isEmpty || path.utf8.contains(0) { throw SocketError(.invalidPath, path: path) }
        if path.utf8.count > Self.pathLimit { throw SocketError(.pathTooLong, path: path) }
        self.path = path
    }

    /// True if the address is in the abstract namespace, which has no files, owners or modes.
    package var isAbstract: Bool { path.utf8.first == UInt8(ascii: "@") }

    /// The path.
    package var description: String { path }
}
