import CLinux
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Process {
    /// Writes a whole text.
    ///
    /// It avoids the library's generic function, whose type metadata costs time in a short-lived process.
    static func write(_ text: String, to descriptor: FileDescriptor) throws(Errno) {
        var text = text
        let error = text.withUTF8 { unsafe write(UnsafeRawBufferPointer($0), to: descriptor) }
        if let error { throw error }
    }

    /// Writes all of the bytes.
    static func write(_ bytes: [UInt8], to descriptor: FileDescriptor) throws(Errno) {
        let error = unsafe bytes.withUnsafeBytes { unsafe write($0, to: descriptor) }
        if let error { throw error }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: FileDescriptor) -> Errno? {
        var rest = unsafe bytes
        while let base = rest.baseAddress, rest.count > 0 {
            #if canImport(Glibc)
                let count = unsafe Glibc.write(descriptor.rawValue, base, rest.count)
            #elseif canImport(Musl)
                let count = unsafe Musl.write(descriptor.rawValue, base, rest.count)
            #endif
            if count < 0 {
                if errno == EINTR { continue }
                // Another process that shares the descriptor may have made it non-blocking.
                if errno == EAGAIN {
                    var waiting = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe poll(&waiting, 1, -1)
                    continue
                }
                return Errno(rawValue: errno)
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return nil
    }

    /// Reads the available bytes, and waits for the first ones, even on a non-blocking descriptor.
    ///
    /// - Returns: the number of bytes; 0 at the end (read(2)).
    static func read(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        while true {
            #if canImport(Glibc)
                let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let count = unsafe Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            // Another process that shares the descriptor may have made it non-blocking.
            case EAGAIN: _ = waits(descriptor, milliseconds: -1)
            default: throw Errno(rawValue: errno)
            }
        }
    }

    /// Waits until descriptors have data or an end, for a number of milliseconds at most; nil waits without a limit.
    /// poll(2)
    ///
    /// - Returns: true for each ready descriptor; all false if the time has passed or a signal has interrupted the wait.
    static func wait(for descriptors: [CInt], milliseconds: CInt?) throws(Errno) -> [Bool] {
        var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if unsafe poll(&waiting, nfds_t(waiting.count), milliseconds ?? -1) < 0 {
            if errno == EINTR { return descriptors.map { _ in false } }
            throw Errno(rawValue: errno)
        }
        return waiting.map { $0.revents != 0 }
    }

    /// Returns true if a write would not wait (poll(2)).
    static func isWritable(_ descriptor: FileDescriptor) -> Bool {
        var waiting = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&waiting, 1, 0) > 0
    }

    /// Returns true if a descriptor has neither data nor an end within a number of milliseconds (poll(2)).
    static func waits(_ descriptor: CInt, milliseconds: CInt) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, milliseconds) == 0
    }
}
