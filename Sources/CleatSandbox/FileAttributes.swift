/// Says what kind of thing a name stands for.
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

/// A time of a file, as the file system keeps it.
package struct FileTime: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    package var seconds: Int64
    /// Nanoseconds beyond them.
    package var nanoseconds: UInt32

    /// Takes seconds since 1970 and nanoseconds.
    package init(seconds: Int64, nanoseconds: UInt32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Orders two times.
    package static func < (left: FileTime, right: FileTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

/// Tells one file from all others that exist at the same time.
package struct FileIdentity: Sendable, Hashable {
    /// The number of its file system.
    package var device: UInt64
    /// Its number there.
    package var inode: UInt64

    /// Takes two numbers.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// What is known of a file without opening it (`fstat`).
package struct FileAttributes: Sendable, Hashable {
    /// What it is.
    package var type: FileKind
    /// Its length in bytes.
    package var size: Int64
    /// Its permission bits, the set-id and sticky bits included.
    package var permissions: UInt16
    /// Whom it belongs to.
    package var owner: FileOwner
    /// When its content was last changed.
    package var modified: FileTime
    /// When its content or its attributes were last changed.
    package var changed: FileTime
    /// How many names it has.
    package var links: UInt64
    /// What tells it from others.
    package var identity: FileIdentity

    /// Takes all of it.
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
