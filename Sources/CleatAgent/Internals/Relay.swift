package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Connects standard input and output to a socket, for a client that connects through ssh.
///
/// It holds at most one buffer for each direction: if one side does not read, the other one is not read from.
package struct Relay: ~Copyable {
    private static let bufferSize = 65_536

    private struct Pipe {
        let source: Int32
        let sink: Int32
        var buffer = [UInt8](repeating: 0, count: Relay.bufferSize)
        var start = 0
        var end = 0
        var sourceEnded = false
        var sinkEnded = false

        var isEmpty: Bool { start == end }
        var wantsInput: Bool { isEmpty && !sourceEnded && !sinkEnded }
        var isDone: Bool { sinkEnded || (sourceEnded && isEmpty) }
    }

    private var up: Pipe
    private var down: Pipe

    /// Prepares a relay between a connected socket and a pair of descriptors.
    package init(socket: FileDescriptor, input: FileDescriptor, output: FileDescriptor) {
        up = Pipe(source: input.rawValue, sink: socket.rawValue)
        down = Pipe(source: socket.rawValue, sink: output.rawValue)
    }

    /// Copies bytes in both directions until the socket's side has ended and all its bytes are passed on, or the reader
    /// of the output has closed it.
    ///
    /// - Throws: The error of poll(2).
    package mutating func run() throws(Errno) {
        var sentEnd = false
        while !down.isDone {
            if up.isDone, !sentEnd {
                sentEnd = true
                _ = shutdown(up.sink, Int32(SHUT_WR))
            }
            // A descriptor without pending work is left out; its hang-up would be reported over and over.
            var polled = [
                pollfd(fd: up.wantsInput ? up.source : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: up.isDone || up.isEmpty ? -1 : up.sink, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: down.wantsInput ? down.source : -1, events: Int16(POLLIN), revents: 0),
                // Always polled: if nothing is to be written, only this shows that the client has disconnected.
                pollfd(fd: down.sink, events: down.isEmpty ? 0 : Int16(POLLOUT), revents: 0),
            ]
            if unsafe poll(&polled, nfds_t(polled.count), -1) < 0 {
                guard errno == EINTR else { throw Errno(rawValue: errno) }
                continue
            }
            if polled[0].revents != 0 { Self.fill(&up) }
            if polled[1].revents != 0 { Self.drain(&up) }
            if polled[2].revents != 0 { Self.fill(&down) }
            if polled[3].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
                down.sinkEnded = true
            } else if polled[3].revents != 0 {
                Self.drain(&down)
            }
        }
    }

    private static func fill(_ pipe: inout Pipe) {
        let source = pipe.source
        let count = unsafe pipe.buffer.withUnsafeMutableBytes { unsafe read(source, $0.baseAddress, $0.count) }
        if count > 0 {
            pipe.start = 0
            pipe.end = count
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            pipe.sourceEnded = true
        }
    }

    private static func drain(_ pipe: inout Pipe) {
        let (sink, start, length) = (pipe.sink, pipe.start, pipe.end - pipe.start)
        let count = unsafe pipe.buffer.withUnsafeBytes { bytes in
            unsafe write(sink, bytes.baseAddress?.advanced(by: start), length)
        }
        if count > 0 {
            pipe.start += count
        } else if errno != EINTR, errno != EAGAIN {
            pipe.sinkEnded = true
        }
    }
}
