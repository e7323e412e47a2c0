internal import CLinux
internal import SystemPackage

/// An inotify queue that reports names that appear in directories. inotify(7)
struct NameWatch {
    /// IN_CREATE, IN_MOVED_TO, IN_ATTRIB, IN_DELETE_SELF, IN_MOVE_SELF.
    private static let events = WatchEvents(rawValue: 0x100 | 0x80 | 0x4 | 0x400 | 0x800)

    let queue: Descriptor
    private let calls = SystemWatchCalls()

    init() throws(Errno) { queue = Descriptor(owning: try calls.open()) }

    /// Watches a directory; links in its path are followed.
    func watch(_ directory: String) throws(Errno) {
        let opened = Descriptor(owning: try Kernel.check(unsafe clinux_inotify_open_base(directory)))
        _ = try calls.watch(opened.descriptor, for: Self.events, in: queue.descriptor)
    }

    /// Reads and discards all events in the queue; returns true if there were any.
    func drain() -> Bool {
        var found = false
        while let events = try? calls.read(queue.descriptor, limit: 4096), !events.isEmpty { found = true }
        return found
    }
}
