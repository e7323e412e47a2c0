internal import CLinux
internal import CleatIO
internal import SystemPackage

/// A pair of descriptors (or one for both directions) that is read and written with time limits, for programs without
/// an event loop.
struct BlockingPort {
    private let reading: Descriptor
    private let writing: Descriptor
    private let writesToSocket: Bool

    init(reading: Descriptor, writing: Descriptor) throws(Errno) {
        self.reading = reading
        self.writing = writing
        try Self.check(clinux_set_nonblocking(reading.rawValue))
        if reading !== writing { try Self.check(clinux_set_nonblocking(writing.rawValue)) }
        writesToSocket = clinux_is_socket(writing.rawValue) == 1
    }

    /// The descriptor that is read.
    var readingDescriptor: Int32 { reading.rawValue }

    /// Connects to a Unix socket; retries while the listener's queue is full.
    static func connect(path: String, deadline: Deadline) throws(Errno) -> BlockingPort {
        let socket = Descriptor(owning: FileDescriptor(rawValue: try check(clinux_stream_socket())))
        while true {
            let result = unsafe path.withCString { unsafe clinux_unix_connect(socket.rawValue, $0, path.utf8.count) }
            do throws(Errno) {
                try check(result)
                return try BlockingPort(reading: socket, writing: socket)
            } catch {
                guard error == .resourceTemporarilyUnavailable || error == .interrupted, !deadline.isOver else {
                    throw error
                }
                clinux_pause(20)
            }
        }
    }

    /// Waits until the next read would return bytes or the end, or the next write would accept bytes.
    private func wait(_ descriptor: Descriptor, writing: Bool, _ deadline: Deadline) throws(Errno) {
        while true {
            do throws(Errno) {
                let limit = deadline.remainingMilliseconds
                if try Self.check(clinux_wait_ready(descriptor.rawValue, writing ? 1 : 0, limit)) > 0 { return }
                // One wait is limited to the range of poll's timeout.
                if deadline.isOver { throw .timedOut }
            } catch {
                guard error == .interrupted else { throw error }
            }
        }
    }

    /// True if a read would return bytes or the end at once.
    var isReadable: Bool { clinux_wait_ready(reading.rawValue, 0, 0) > 0 }

    /// Reads the available bytes, at least one; empty at the end of the stream.
    func read(upTo limit: Int, deadline: Deadline) throws(Errno) -> [UInt8] {
        while true {
            try wait(reading, writing: false, deadline)
            let fd = reading.rawValue
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
                count = unsafe clinux_read(fd, buffer.baseAddress, buffer.count)
                filled = max(0, count)
            }
            do throws(Errno) {
                try Self.check(count)
                return bytes
            } catch {
                guard error == .resourceTemporarilyUnavailable || error == .interrupted else { throw error }
            }
        }
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8], deadline: Deadline) throws(Errno) {
        let (fd, socket) = (writing.rawValue, writesToSocket)
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
                return socket
                    ? unsafe clinux_send(fd, rest.baseAddress, rest.count)
                    : unsafe clinux_write_quietly(fd, rest.baseAddress, rest.count)
            }
            do throws(Errno) {
                offset += try Self.check(count)
            } catch {
                switch error {
                case .interrupted: break
                case .resourceTemporarilyUnavailable: try wait(writing, writing: true, deadline)
                default: throw error
                }
            }
        }
    }

    func close() {
        reading.close()
        writing.close()
    }

    @discardableResult
    private static func check(_ result: Int) throws(Errno) -> Int {
        guard result >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: 0 &- result)) }
        return result
    }

    @discardableResult
    private static func check(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw Errno(rawValue: 0 &- result) }
        return result
    }
}
