package import CleatIO
package import SystemPackage

/// The system calls that watch directories; tests replace them to make calls fail. inotify(7)
package protocol WatchCalls: Sendable {
    /// Opens an event queue.
    func open() throws(Errno) -> FileDescriptor
    /// Watches an open directory and returns the watch's number; a directory that is already watched keeps its number.
    func watch(_ directory: FileDescriptor, for events: WatchEvents, in queue: FileDescriptor) throws(Errno) -> Int32
    /// Ends a watch; the kernel then queues its ``WatchEvents/ended`` event.
    func remove(_ watch: Int32, from queue: FileDescriptor) throws(Errno)
    /// Reads at most `limit` bytes of events from the queue; nil if it is empty.
    func read(_ queue: FileDescriptor, limit: Int) throws(Errno) -> [WatchEvent]?
    /// Returns true if a process has a file open for writing; see ``InboxDirectory/isBeingWritten(_:)``.
    func isBeingWritten(_ name: [UInt8], in directory: InboxDirectory) -> Bool?
}

extension SystemWatchCalls: WatchCalls {
    /// Returns true if a process has a file open for writing; see ``InboxDirectory/isBeingWritten(_:)``.
    package func isBeingWritten(_ name: [UInt8], in directory: InboxDirectory) -> Bool? {
        directory.isBeingWritten(name)
    }
}
