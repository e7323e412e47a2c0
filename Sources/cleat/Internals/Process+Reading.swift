import CLinux
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Process {
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

    /// Waits for a number of milliseconds.
    static func pause(milliseconds: CInt) { _ = poll(nil, 0, milliseconds) }

    /// Returns true if a descriptor has neither data nor an end within a number of milliseconds (poll(2)).
    static func waits(_ descriptor: CInt, milliseconds: CInt) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, milliseconds) == 0
    }
}
