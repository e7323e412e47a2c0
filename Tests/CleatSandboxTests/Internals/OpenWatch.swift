import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Counts the opens of a file, also those for an instant (`inotify`, IN_OPEN); a check (`O_PATH`) is not one.
final class OpenWatch: Sendable {
    private let queue: FileDescriptor

    /// Watches the file that is at a path now, also after it is renamed.
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

    /// Returns the number of opens since the last call; the kernel merges several in a row.
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
