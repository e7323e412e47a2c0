import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Counts how often anybody opens a file, be it for an instant (`inotify`, IN_OPEN); a look (`O_PATH`) is none.
final class OpenWatch: Sendable {
    private let queue: FileDescriptor

    /// Watches what stands at a path now, whatever it is called later.
    init(_ path: String) throws(Errno) {
        let opened = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        guard opened >= 0 else { throw Errno(rawValue: errno) }
        guard unsafe inotify_add_watch(opened, path, UInt32(IN_OPEN)) >= 0 else {
            let error = Errno(rawValue: errno)
            close(opened)
            throw error
        }
        queue = FileDescriptor(rawValue: opened)
    }

    deinit { try? queue.close() }

    /// How many opens there were since the last call; the kernel makes one of several in a row.
    func opens() throws -> Int {
        var count = 0
        // An event without a name: watch, mask, cookie, length.
        let size = 16
        var buffer = [UInt8](repeating: 0, count: 64 * size)
        while true {
            do {
                count += try unsafe buffer.withUnsafeMutableBytes { try unsafe queue.read(into: $0) } / size
            } catch Errno.wouldBlock {
                return count
            }
        }
    }
}
