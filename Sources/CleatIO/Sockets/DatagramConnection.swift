package import SystemPackage

/// A connection to a Unix socket of datagrams, by which a program answers requests and sends events. unix(7)
///
/// The kernel discards datagrams of other senders.
package final class DatagramConnection: Sendable {
    /// The longest datagram that is received whole, in bytes.
    private static let capacity = 8192

    private let socket: Descriptor
    private let readiness: Readiness

    /// Connects to a socket.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - loop: The loop that reports datagrams.
    /// - Throws: The kernel's error: `ENOENT` or `ECONNREFUSED` if no program listens.
    package init(to path: String, loop: EventLoop) throws(Errno) {
        socket = Descriptor(owning: try SocketCalls.unixSocket(nonblocking: true, kind: .datagrams))
        // The other side answers to this name; the time makes it unique.
        try SocketCalls.bind(socket.rawValue, to: "@cleat-\(Kernel.bootNanoseconds)")
        try SocketCalls.connect(socket.rawValue, to: path)
        readiness = try loop.register(socket.descriptor)
    }

    deinit { close() }

    /// Closes the connection.
    package func close() {
        readiness.close()
        socket.close()
    }

    /// Sends a text as one datagram.
    ///
    /// - Throws: `Errno`, `EAGAIN` if the other side does not read.
    package func send(_ text: String) throws(Errno) {
        guard try Kernel.write(socket.rawValue, Array(text.utf8), from: 0, socket: true) != nil else {
            throw .resourceTemporarilyUnavailable
        }
    }

    /// Waits for the next datagram, and returns it as text.
    ///
    /// - Throws: `Errno`, or an error if the task is cancelled or its deadline passes.
    package func receive() async throws -> String {
        while true {
            if let datagram = try available() { return String(decoding: datagram, as: UTF8.self) }
            try await readiness.readable()
        }
    }

    private func available() throws(Errno) -> [UInt8]? {
        var failure: Errno?
        var isThere = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.capacity) { buffer, count in
            do throws(Errno) {
                let received = unsafe try Kernel.read(socket.rawValue, into: UnsafeMutableRawBufferPointer(buffer))
                isThere = received != nil
                count = received ?? 0
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return isThere ? bytes : nil
    }
}
