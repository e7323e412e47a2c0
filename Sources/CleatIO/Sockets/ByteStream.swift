internal import Synchronization
package import SystemPackage

/// A non-blocking byte stream in both directions over one descriptor or a pair of them: a socket, or two pipes.
///
/// One task may read while another writes. The descriptors become non-blocking, which affects every process that shares
/// them.
package final class ByteStream: Sendable {
    private let input: Descriptor
    private let output: Descriptor
    private let inputReadiness: Readiness
    private let outputReadiness: Readiness
    private let outputIsSocket: Bool
    private let closed = Atomic<Bool>(false)
    private let inputTurns: Turns
    private let outputTurns: Turns

    /// The credentials of the peer; nil if the stream is not a Unix socket.
    package let peer: PeerCredentials?

    /// Takes ownership of a descriptor that is read and written, such as a connected socket.
    package convenience init(loop: EventLoop, socket: Descriptor) throws(Errno) {
        try self.init(loop: loop, reading: socket, writing: socket)
    }

    /// Takes ownership of a descriptor to read from and one to write to; they may be the same.
    package init(loop: EventLoop, reading: Descriptor, writing: Descriptor) throws(Errno) {
        try Kernel.setNonblocking(reading.rawValue)
        if reading !== writing { try Kernel.setNonblocking(writing.rawValue) }
        input = reading
        output = writing
        inputTurns = Turns(loop: loop)
        outputTurns = Turns(loop: loop)
        outputIsSocket = Kernel.isSocket(writing.rawValue)
        peer = Kernel.isSocket(reading.rawValue) ? try? SocketCalls.peer(reading.rawValue) : nil
        inputReadiness = try loop.register(reading.descriptor)
        outputReadiness = reading === writing ? inputReadiness : try loop.register(writing.descriptor)
    }

    deinit { close() }

    /// Connects to a Unix socket.
    package static func connect(to address: UnixAddress, loop: EventLoop) async throws -> ByteStream {
        do throws(Errno) {
            let socket = Descriptor(owning: try SocketCalls.unixSocket(nonblocking: true))
            while true {
                do throws(Errno) {
                    try SocketCalls.connect(socket.rawValue, to: address.path)
                    break
                } catch {
                    // The listener's queue is full, and no event reports that it has space again.
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

    /// Makes two streams that are connected with each other.
    package static func pair(loop: EventLoop) throws(Errno) -> (ByteStream, ByteStream) {
        let (left, right) = try Kernel.socketPair()
        let (first, second) = (Descriptor(owning: left), Descriptor(owning: right))
        return (try ByteStream(loop: loop, socket: first), try ByteStream(loop: loop, socket: second))
    }

    // MARK: Reading

    /// Reads the available bytes, at most `limit`, and waits for the first of them.
    ///
    /// Returns an empty array at the end.
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

    /// Reads the bytes that are available now, at most `limit`.
    ///
    /// Returns nil if nothing is available, an empty array at the end.
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

    /// Writes all of `bytes`, waiting for buffer space as often as needed.
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

    /// Writes as many bytes as fit now, and returns their number; 0 if the buffer is full.
    package func writeSome(_ bytes: [UInt8], from offset: Int = 0) throws(Errno) -> Int {
        guard !isClosed else { throw .badFileDescriptor }
        return try Kernel.write(output.rawValue, bytes, from: offset, socket: outputIsSocket) ?? 0
    }

    /// Waits until writing is possible.
    package func writable() async throws { try await outputReadiness.writable() }

    /// Shuts down this side's writing; the peer reads up to the end and may continue to write.
    package func shutdownWrite() {
        if outputIsSocket {
            try? SocketCalls.shutdownWriting(output.rawValue)
        } else if input !== output {
            outputReadiness.close()
            output.close()
        }
    }

    // MARK: State

    /// True if written data is no longer received (EPOLLHUP or EPOLLERR).
    package var hungUp: Bool { inputReadiness.hungUp || outputReadiness.hungUp }

    /// True if the peer has shut down its writing (EPOLLRDHUP), the connection or both; it may still read.
    package var peerEndedWriting: Bool { inputReadiness.peerEndedWriting }

    /// True if ``close()`` was called.
    package var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Closes both directions; tasks that wait for them get a `CancellationError`.
    ///
    /// Further calls do nothing.
    package func close() {
        guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        inputReadiness.close()
        outputReadiness.close()
        input.close()
        output.close()
    }
}

/// Keeps a peer that always has data ready from monopolizing the loop: after 16 steps without a wait, all other ready
/// work runs.
final class Turns: Sendable {
    private static let limit = 16

    private let loop: EventLoop
    private let taken = Atomic<Int>(0)

    init(loop: EventLoop) { self.loop = loop }

    /// Counts a step that did not have to wait.
    func take() async {
        guard taken.add(1, ordering: .relaxed).newValue >= Self.limit else { return }
        reset()
        await loop.yield()
    }

    /// Resets the count, after a wait.
    func reset() { taken.store(0, ordering: .relaxed) }
}
