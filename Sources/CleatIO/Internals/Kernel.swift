internal import CLinux
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// System calls with typed errors, as wrappers of the C functions of this module.
enum Kernel {
    /// Turns the shims' convention (a negated errno) into an error.
    @discardableResult
    static func check(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw Errno(rawValue: 0 &- result) }
        return result
    }

    @discardableResult
    static func check(_ result: Int) throws(Errno) -> Int {
        guard result >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: 0 &- result)) }
        return result
    }

    /// A token that identifies the calling thread among all live threads.
    static var thread: UInt { UInt(clinux_thread_self()) }

    static func close(_ fd: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(fd)
        #elseif canImport(Musl)
            _ = Musl.close(fd)
        #endif
    }

    /// Unmaps the pages of the program's code and constants; returns the size of these segments in bytes.
    static func releaseProgram() throws(Errno) -> Int { try check(clinux_memory_release_program()) }

    // MARK: epoll, eventfd, timerfd

    static func epollCreate() throws(Errno) -> Int32 { try check(clinux_epoll_create()) }
    static func eventCreate() throws(Errno) -> Int32 { try check(clinux_eventfd()) }
    static func timerCreate() throws(Errno) -> Int32 { try check(clinux_timerfd()) }

    static func epollAdd(_ epoll: Int32, _ fd: Int32, _ events: PollEvents, key: UInt64) throws(Errno) {
        try check(clinux_epoll_add(epoll, fd, events.rawValue, key))
    }

    static func epollModify(_ epoll: Int32, _ fd: Int32, _ events: PollEvents, key: UInt64) throws(Errno) {
        try check(clinux_epoll_modify(epoll, fd, events.rawValue, key))
    }

    static func epollRemove(_ epoll: Int32, _ fd: Int32) { _ = clinux_epoll_remove(epoll, fd) }
    static func eventSignal(_ fd: Int32) { clinux_eventfd_signal(fd) }
    static func timerArm(_ fd: Int32, at nanoseconds: Int64) { _ = clinux_timerfd_arm(fd, nanoseconds) }

    // MARK: Descriptors

    static func setNonblocking(_ fd: Int32) throws(Errno) { try check(clinux_set_nonblocking(fd)) }
    static func duplicate(_ fd: Int32) throws(Errno) -> Int32 { try check(clinux_duplicate(fd)) }
    static func isSocket(_ fd: Int32) -> Bool { clinux_is_socket(fd) == 1 }

    static func openForReading(_ path: String) throws(Errno) -> Int32 {
        try check(unsafe path.withCString { unsafe clinux_open_read($0) })
    }

    static func pipe() throws(Errno) -> (reading: Int32, writing: Int32) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = unsafe withUnsafeMutableBytes(of: &ends) { ends in
            guard let base = unsafe ends.bindMemory(to: Int32.self).baseAddress else { return -EINVAL }
            return unsafe clinux_pipe(base)
        }
        try check(result)
        return (ends.0, ends.1)
    }

    static func socketPair() throws(Errno) -> (Int32, Int32) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = unsafe withUnsafeMutableBytes(of: &ends) { ends in
            guard let base = unsafe ends.bindMemory(to: Int32.self).baseAddress else { return -EINVAL }
            return unsafe clinux_unix_pair(base)
        }
        try check(result)
        return (ends.0, ends.1)
    }

    /// Reads the available bytes.
    ///
    /// Returns nil if nothing is available yet, 0 at the end.
    static func read(_ fd: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int? {
        let got = unsafe clinux_read(fd, buffer.baseAddress, buffer.count)
        if got == -Int(EAGAIN) { return nil }
        return try check(got)
    }

    /// Writes as many bytes of an array as fit, from an offset on.
    ///
    /// Returns nil if nothing can be written now.
    static func write(_ fd: Int32, _ bytes: [UInt8], from offset: Int, socket: Bool) throws(Errno) -> Int? {
        guard offset >= 0, offset < bytes.count else { return 0 }
        let put = unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            let (rest, count) = unsafe (start + offset, bytes.count - offset)
            return unsafe socket ? clinux_send(fd, rest, count) : clinux_write(fd, rest, count)
        }
        if put == -Int(EAGAIN) { return nil }
        return try check(put)
    }

    static func memoryFile(_ bytes: [UInt8]) throws(Errno) -> Int32 {
        try check(unsafe bytes.withUnsafeBytes { unsafe clinux_memory_file($0.baseAddress, $0.count) })
    }

    // MARK: Clocks

    static var bootNanoseconds: Int64 { clinux_clock_boottime() }
    static var wallMilliseconds: Int64 { clinux_clock_realtime() }
    static var monotonicMicroseconds: Int64 { clinux_clock_monotonic() }
    static var clockSynchronised: Bool { clinux_clock_synchronised() == 1 }
}

/// The event flags of epoll, both requested and reported.
struct PollEvents: OptionSet {
    let rawValue: UInt32
    static let readable = PollEvents(rawValue: 0x001)
    static let writable = PollEvents(rawValue: 0x004)
    static let error = PollEvents(rawValue: 0x008)
    static let hangUp = PollEvents(rawValue: 0x010)
    static let peerHangUp = PollEvents(rawValue: 0x2000)
    static let edge = PollEvents(rawValue: 1 << 31)
}
