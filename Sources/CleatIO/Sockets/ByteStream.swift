internal import Synchronization
package import SystemPackage

/// Bytes in both directions over one descriptor or a pair of them, without blocking: a socket, or two pipes.
///
/// One task may read while another writes. The descriptors become non-blocking, which everyone sees who shares them.
package final class ByteStream: Sendable {
    private let input: Descriptor
    private let output: Descriptor
    private let inputReadiness: Readiness
    private let outputReadiness: Readiness
    private let outputIsSocket: Bool
    private let closed = Atomic<Bool>(false)
    private let inputTurns: Turns
    private let outputTurns: Turns

    /// Who is at the other end; nil where this is not a Unix socket.
    package let peer: PeerCredentials?

    /// Takes over a descriptor that is read and written, such as a connected socket.
    package convenience init(loop: EventLoop, socket: Descriptor) throws(Errno) {
        try self.init(loop: loop, reading: socket, writing: socket)
    }

    /// Takes over a descriptor to read from and one to write to; they may be the same.
    package init(loop: EventLoop, reading: Descriptor, writing: Descriptor) throws(Errno) {
        try Kernel.setNonblocking(reading.rawValue)
        if reading !== writing { try Kernel.setNonblocking(writing.rawValue) }
        input = reading
        output = writing
        inputTurns = Turns(loop: loop)
        outputTurns = Turns(loop: loop)
        outputIsSocket = Kernel.isSocket(writing.rawValue)
        peer = Kernel.isSocket(reading.rawValue) ? try? Kernel.peer(reading.rawValue) : nil
        inputReadiness = try loop.register(reading.descriptor)
        outputReadiness = reading === writing ? inputReadiness : try loop.register(writing.descriptor)
    }

    deinit { close() }

    /// Connects to a Unix socket.
    package static func connect(to address: UnixAddress, loop: EventLoop) async throws -> ByteStream {
        do throws(Errno) {
            let socket = Descriptor(owning: try Kernel.unixSocket(nonblocking: true))
            while true {
                do throws(Errno) {
                    try Kernel.connect(socket.rawValue, to: address.path)
                    break
                } catch {
                    // The listener's queue is full, and nothing tells when it has room.
                    guard error == .resourceTemporarilyUnavailable else { throw error }
                }
                do { try await loop.sleep(for: .milliseconds(20)) } catch { throw Errno.canceled }
            }
            return try ByteStream(loop: loop, socket: socket)
        } catch {
            if error == .canceled { throw CancellationError() }
            throw SocketError(error, path: address.path)
        }
    }

    /// Makes two streams that are joined with each other.
    package static func pair(loop: EventLoop) throws(Errno) -> (ByteStream, ByteStream) {
        let (left, right) = try Kernel.socketPair()
        let (first, second) = (Descriptor(owning: left), Descriptor(owning: right))
        return (try ByteStream(loop: loop, socket: first), try ByteStream(loop: loop, socket: second))
    }

    // MARK: Reading

    /// Reads what is there, at most `limit` bytes, waiting for the first of them.
    ///
    /// Empty at the end.
    package func read(upTo limit: Int = 16384) async throws -> [UInt8] {
        while true {
            if let bytes = try readSome(upTo: limit) {
                await inputTurns.take()
                return bytes
            }
            inputTurns.reset()
            try await inputReadiness.readable()
        }
    }

    /// Reads what is there now, at most `limit` bytes.
    ///
    /// Nil where nothing is there, empty at the end.
    package func readSome(upTo limit: Int = 16384) throws(Errno) -> [UInt8]? {
        guard !isClosed else { throw .badFileDescriptor }
        let fd = input.rawValue
        let result = unsafe withUnsafeTemporaryAllocation(byteCount: max(1, limit), alignment: 16) {
            buffer -> Result<[UInt8]?, Errno> in
            do throws(Errno) {
                guard let count = unsafe try Kernel.read(fd, into: buffer) else { return .success(nil) }
                return unsafe .success([UInt8](buffer[..<count]))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Waits until there is something to read, or an end.
    package func readable() async throws { try await inputReadiness.readable() }

    // MARK: Writing

    /// Writes all of `bytes`, waiting for room as often as it takes.
    package func write(_ bytes: [UInt8]) async throws {
        var offset = 0
        while offset < bytes.count {
            let count = try writeSome(bytes, from: offset)
            offset += count
            if count > 0 {
                await outputTurns.take()
            } else {
                outputTurns.reset()
                try await outputReadiness.writable()
            }
        }
    }

    /// Writes what there is room for now, and tells how many bytes that were; 0 where there is no room.
    package func writeSome(_ bytes: [UInt8], from offset: Int = 0) throws(Errno) -> Int {
        guard !isClosed else { throw .badFileDescriptor }
        return try Kernel.write(output.rawValue, bytes, from: offset, socket: outputIsSocket) ?? 0
    }

    /// Waits until there is room for writing.
    package func writable() async throws { try await outputReadiness.writable() }

    /// Ends this side's writing; the peer reads to the end and may go on writing.
    package func shutdownWrite() {
        if outputIsSocket {
            try? Kernel.shutdownWriting(output.rawValue)
        } else if input !== output {
            outputReadiness.close()
            output.close()
        }
    }

    // MARK: State

    /// Whether nobody takes what is written any more (EPOLLHUP or EPOLLERR).
    package var hungUp: Bool { inputReadiness.hungUp || outputReadiness.hungUp }

    /// Whether the peer has at least ended its writing (EPOLLRDHUP); it may still read.
    package var peerEndedWriting: Bool { inputReadiness.peerEndedWriting }

    /// Whether ``close()`` was called.
    package var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Closes both directions; what waits for them gets a `CancellationError`.
    ///
    /// More than once does nothing.
    package func close() {
        guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        inputReadiness.close()
        outputReadiness.close()
        input.close()
        output.close()
    }
}
