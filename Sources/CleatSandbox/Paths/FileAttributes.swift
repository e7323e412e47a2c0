/// The type of a directory entry.
package enum FileKind: String, Sendable, Hashable, CaseIterable {
    case regular = "file"
    case directory
    case symbolicLink = "link"
    case fifo
    case socket
    case characterDevice = "character-device"
    case blockDevice = "block-device"
    case other
}

/// A timestamp of a file, as the file system stores it.
package struct FileTime: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    package var seconds: Int64
    /// The nanoseconds within the second.
    package var nanoseconds: UInt32

    /// Makes a time from seconds since 1970 and nanoseconds.
    package init(seconds: Int64, nanoseconds: UInt32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Orders two times.
    package static func < (left: FileTime, right: FileTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

/// Identifies one file among all files that exist at the same time.
package struct FileIdentity: Sendable, Hashable {
    /// The device number of the file system.
    package var device: UInt64
    /// The inode number.
    package var inode: UInt64

    /// Makes an identity from two numbers.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// The attributes of a file that can be read without opening it (`fstat`).
package struct FileAttributes: Sendable, Hashable {
    /// The file type.
    package var type: FileKind
    /// The size in bytes.
    package var size: Int64
    /// The permission bits, including the set-id and sticky bits.
    package var permissions: UInt16
    /// The owner.
    package var owner: FileOwner
    /// The time of the last change of the content (mtime).
    package var modified: FileTime
    /// The time of the last change of the content or the attributes (ctime).
    package var changed: FileTime
    /// The number of hard links.
    package var links: UInt64
    /// The device and inode numbers.
    package var identity: FileIdentity

    /// Makes attributes from their fields.
    package init(
        type: FileKind, size: Int64, permissions: UInt16, owner: FileOwner, modified: FileTime, changed: FileTime,
        links: UInt64, identity: FileIdentity
    ) {
        self.type = type
        self.size = size
        self.permissions = permissions
        self.owner = owner
        self.modified = modified
        self.changed = changed
        self.links = links
        self.identity = identity
    }
}

/// The user and the group that own a file.
package struct FileOwner: Sendable, Hashable {
    /// The user ID.
    package var user: UInt32
    /// The group ID.
    package var group: UInt32

    /// Makes an owner from two IDs.
    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}
