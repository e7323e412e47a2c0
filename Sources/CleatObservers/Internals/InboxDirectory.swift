internal import CLinux
package import CleatIO
package import SystemPackage

/// An open directory of the inbox: its entries are accessed through its descriptor, and no link in it is followed.
package final class InboxDirectory: Sendable {
    private let owner: Descriptor
    /// The identity of the directory.
    package let identity: InboxEntry.Identity

    /// The descriptor; it is valid as long as this object lives.
    package var descriptor: FileDescriptor { owner.descriptor }

    /// Opens a directory by its path. open(2)
    package convenience init(path: FilePath) throws(Errno) {
        try self.init(opened: unsafe path.string.withCString { unsafe clinux_inotify_open_base($0) })
    }

    /// Opens a directory in this one; a link there is an error. openat(2)
    package func open(_ name: [UInt8]) throws(Errno) -> InboxDirectory {
        try InboxDirectory(opened: unsafe withName(name) { unsafe clinux_inotify_open_directory(owner.rawValue, $0) })
    }

    private init(opened result: Int32) throws(Errno) {
        guard result >= 0 else { throw Errno(rawValue: -result) }
        owner = Descriptor(owning: FileDescriptor(rawValue: result))
        var found = clinux_inotify_entry()
        let looked = unsafe clinux_inotify_look(result, "", &found)
        guard looked == 0 else { throw Errno(rawValue: -looked) }
        identity = InboxEntry(found).identity
    }

    /// Returns the status of a name in the directory, which may be of any kind or missing. fstatat(2)
    package func entry(_ name: [UInt8]) throws(Errno) -> InboxEntry {
        var found = clinux_inotify_entry()
        let result = unsafe withName(name) { unsafe clinux_inotify_look(owner.rawValue, $0, &found) }
        guard result == 0 else { throw Errno(rawValue: -result) }
        return InboxEntry(found)
    }

    /// Returns true if a process has a file open for writing; nil if the file system or missing rights hide it.
    ///
    /// The check takes a read lease, which the kernel grants only for a file without writers, and releases it at once.
    /// A process that opens the file for writing in that moment waits for the release. fcntl(2) (F_SETLEASE)
    package func isBeingWritten(_ name: [UInt8]) -> Bool? {
        switch unsafe withName(name, { unsafe clinux_inotify_is_being_written(owner.rawValue, $0) }) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Restarts ``names()`` at the first name.
    package func rewind() throws(Errno) {
        let result = clinux_inotify_rewind(owner.rawValue)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Returns the next names of the directory, without `.` and `..`; nil after the last. getdents64(2)
    package func names() throws(Errno) -> [[UInt8]]? {
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 8_192) { buffer, count in
            result = unsafe clinux_directory_entries(owner.rawValue, buffer.baseAddress, buffer.count)
            count = min(max(0, result), buffer.count)
        }
        guard result >= 0 else { throw Errno(rawValue: Int32(clamping: -result)) }
        guard result > 0 else { return nil }
        let view = ByteView(bytes)
        var names: [[UInt8]] = []
        var offset = 0
        // struct linux_dirent64: inode, offset (8 bytes each), record length (2), type (1), name.
        while let length = view.native16(at: offset + 16).map({ Int($0) }), length > 19,
            let name = view.part(at: offset + 19, count: length - 19).map({ Array($0.slice.prefix { $0 != 0 }) })
        {
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
            offset += length
        }
        return names
    }

    private func withName<Result>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        // A name from the kernel contains no NUL.
        let text = name.map { CChar(bitPattern: $0) } + [0]
        return unsafe text.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return unsafe body("") }
            return unsafe body(base)
        }
    }
}

/// The status of a name in the inbox. stat(2)
package struct InboxEntry: Sendable, Hashable {
    /// The identity of a file or directory, independent of its name.
    package struct Identity: Sendable, Hashable {
        /// The device number of the file system.
        package var device: UInt64
        /// The inode number.
        package var inode: UInt64
    }

    /// The identity of the file or directory.
    package let identity: Identity
    /// The size in bytes.
    package let size: Int64
    /// The number of hard links.
    package let links: UInt64
    /// The time of the last write, by the machine's clock at that time.
    package let modified: WallTime
    /// True if it is a directory.
    package let isDirectory: Bool
    /// True if it is a regular file: no link, no device, no FIFO, no socket.
    package let isFile: Bool
    private let modifiedNanoseconds: Int64

    init(_ entry: clinux_inotify_entry) {
        identity = Identity(device: entry.device, inode: entry.inode)
        size = entry.size
        links = entry.links
        isDirectory = entry.mode & 0o170000 == 0o040000
        isFile = entry.mode & 0o170000 == 0o100000
        modified = WallTime(
            milliseconds: entry.modified_seconds &* 1_000 &+ entry.modified_nanoseconds / 1_000_000)
        modifiedNanoseconds = entry.modified_nanoseconds
    }

    /// An even hash of the identity, size and modification time; it differs for another file and for other contents.
    package var version: Int {
        var hasher = Hasher()
        hasher.combine(identity)
        hasher.combine(size)
        hasher.combine(modified)
        hasher.combine(modifiedNanoseconds)
        return hasher.finalize() & ~1
    }
}
