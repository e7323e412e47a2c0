internal import CLinux
package import SystemPackage

/// The events of a watched directory, and of the watch itself. inotify(7)
package struct WatchEvents: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    /// Makes a set from the kernel's bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A file that was open for writing was closed (`IN_CLOSE_WRITE`).
    package static let closedAfterWriting = WatchEvents(rawValue: 0x8)
    /// A name was moved out of the directory (`IN_MOVED_FROM`).
    package static let movedFrom = WatchEvents(rawValue: 0x40)
    /// A name was moved into the directory (`IN_MOVED_TO`).
    package static let movedTo = WatchEvents(rawValue: 0x80)
    /// A name was created (`IN_CREATE`).
    package static let created = WatchEvents(rawValue: 0x100)
    /// A name was deleted (`IN_DELETE`).
    package static let deleted = WatchEvents(rawValue: 0x200)
    /// The directory itself was deleted (`IN_DELETE_SELF`).
    package static let selfDeleted = WatchEvents(rawValue: 0x400)
    /// The directory itself was moved (`IN_MOVE_SELF`).
    package static let selfMoved = WatchEvents(rawValue: 0x800)
    /// The queue was full, and events were lost (`IN_Q_OVERFLOW`).
    package static let overflow = WatchEvents(rawValue: 0x4000)
    /// The watch has ended (`IN_IGNORED`).
    package static let ended = WatchEvents(rawValue: 0x8000)
    /// The name is that of a directory (`IN_ISDIR`).
    package static let isDirectory = WatchEvents(rawValue: 0x4000_0000)

    /// The events that add or remove a name.
    package static let names: WatchEvents = [.created, .deleted, .movedFrom, .movedTo]
}

/// One event of a watch.
package struct WatchEvent: Sendable, Hashable {
    /// The number of the watch; -1 for the queue itself.
    package var watch: Int32
    /// The bits of the event.
    package var events: WatchEvents
    /// The name in the directory as raw bytes; empty for events of the directory itself.
    package var name: [UInt8]

    /// Makes an event from its parts.
    package init(watch: Int32, events: WatchEvents, name: [UInt8] = []) {
        self.watch = watch
        self.events = events
        self.name = name
    }

    /// Parses the result of one read; an incomplete event at the end is ignored.
    package static func parse(_ bytes: [UInt8]) -> [WatchEvent] {
        let view = ByteView(bytes)
        var events: [WatchEvent] = []
        var offset = 0
        // struct inotify_event: watch, events, cookie, length of the name (4 bytes each), name padded with NUL.
        while let watch = view.native32(at: offset), let mask = view.native32(at: offset + 4),
            let length = view.native32(at: offset + 12), let name = view.part(at: offset + 16, count: Int(length))
        {
            events.append(
                WatchEvent(
                    watch: Int32(bitPattern: watch), events: WatchEvents(rawValue: mask),
                    name: Array(name.slice.prefix { $0 != 0 })))
            offset += 16 + Int(length)
        }
        return events
    }
}

/// The watch calls of the kernel. inotify_init1(2), inotify_add_watch(2), inotify_rm_watch(2)
package struct SystemWatchCalls: Sendable {
    /// Makes the calls.
    package init() {}

    /// Opens an event queue, which does not block.
    package func open() throws(Errno) -> FileDescriptor {
        FileDescriptor(rawValue: try Self.check(clinux_inotify_open()))
    }

    /// Watches an open directory and returns the watch's number; a directory that is already watched keeps its number.
    package func watch(
        _ directory: FileDescriptor, for events: WatchEvents, in queue: FileDescriptor
    ) throws(Errno) -> Int32 {
        try Self.check(clinux_inotify_watch(queue.rawValue, directory.rawValue, events.rawValue))
    }

    /// Ends a watch; the kernel then queues its ``WatchEvents/ended`` event.
    package func remove(_ watch: Int32, from queue: FileDescriptor) throws(Errno) {
        try Self.check(clinux_inotify_remove(queue.rawValue, watch))
    }

    /// Reads at most `limit` bytes of events from the queue; nil if it is empty.
    package func read(_ queue: FileDescriptor, limit: Int) throws(Errno) -> [WatchEvent]? {
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            result = unsafe clinux_inotify_read(queue.rawValue, buffer.baseAddress, buffer.count)
            count = min(max(0, result), buffer.count)
        }
        guard result >= 0 else {
            let error = Errno(rawValue: Int32(clamping: -result))
            if error == .resourceTemporarilyUnavailable || error == .wouldBlock { return nil }
            throw error
        }
        return WatchEvent.parse(bytes)
    }

    @discardableResult
    private static func check(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw Errno(rawValue: -result) }
        return result
    }
}
