internal import CLinux
internal import SystemPackage

/// An inotify queue that reports names that appear in directories. inotify(7)
struct NameWatch {
    /// IN_CREATE, IN_MOVED_TO, IN_ATTRIB, IN_DELETE_SELF, IN_MOVE_SELF.
    private static let events: UInt32 = 0x100 | 0x80 | 0x4 | 0x400 | 0x800

    let queue: Descriptor

    init() throws(Errno) {
        queue = Descriptor(owning: try Kernel.check(clinux_inotify_open()))
    }

    /// Watches a directory; links in its path are followed.
    func watch(_ directory: String) throws(Errno) {
        let opened = Descriptor(owning: try Kernel.check(unsafe clinux_inotify_open_base(directory)))
        _ = try Kernel.check(clinux_inotify_watch(queue.rawValue, opened.rawValue, Self.events))
    }

    /// Reads and discards all events in the queue; returns true if there were any.
    func drain() -> Bool {
        var found = false
        while true {
            let count = unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                unsafe clinux_inotify_read(queue.rawValue, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else { return found }
            found = true
        }
    }
}
