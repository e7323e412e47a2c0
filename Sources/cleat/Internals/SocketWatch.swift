import CLinux
import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits until a socket may have appeared: inotify(7).
///
/// The service may have to create the socket's directory first, so the nearest existing directory is watched.
struct SocketWatch: ~Copyable {
    private let queue: Descriptor?

    /// Starts to watch; events from now on are noticed.
    ///
    /// If the path cannot be watched, as with a socket in the abstract namespace, ``wait(milliseconds:)`` only sleeps.
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

    /// Waits until an event occurs, for a number of milliseconds at most.
    func wait(milliseconds: Int32) {
        guard let queue else {
            _ = poll(nil, 0, milliseconds)
            return
        }
        _ = Process.waits(queue.rawValue, milliseconds: milliseconds)
    }
}
