import CLinux
import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits until something happens where a socket should be: inotify(7).
///
/// Whoever makes the socket may have to make its directory first, so the nearest directory that is there is watched.
struct SocketWatch: ~Copyable {
    private let queue: Descriptor?

    /// Begins to watch; what happens from now on is heard of.
    ///
    /// Where it cannot be watched, as with a socket in the abstract space, ``wait(milliseconds:)`` only waits.
    init(_ socket: String) {
        guard socket.hasPrefix("/") else {
            queue = nil
            return
        }
        let queue = clinux_inotify_open()
        guard queue >= 0 else {
            self.queue = nil
            return
        }
        self.queue = Descriptor(owning: FileDescriptor(rawValue: queue))
        var place = FilePath(socket)
        while place.removeLastComponent() {
            let directory = unsafe place.string.withCString { unsafe clinux_inotify_open_base($0) }
            guard directory >= 0 else { continue }
            defer { close(directory) }
            let events = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF)
            if clinux_inotify_watch(queue, directory, events) >= 0 { return }
        }
    }

    /// Waits until something has happened, for a number of milliseconds at most.
    func wait(milliseconds: Int32) {
        guard let queue else {
            _ = poll(nil, 0, milliseconds)
            return
        }
        _ = Process.waits(queue.rawValue, milliseconds: milliseconds)
    }
}
