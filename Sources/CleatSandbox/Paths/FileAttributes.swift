package import CleatIO

/// The type of a directory entry.
public enum FileKind: String, Sendable, Hashable, CaseIterable {
    /// A file with content.
    case regular = "file"
    /// A directory.
    case directory
    /// A symbolic link.
    case symbolicLink = "link"
    /// A FIFO (named pipe).
    case fifo
    /// A socket.
    case socket
    /// A character device.
    case characterDevice = "character-device"
    /// A block device.
    case blockDevice = "block-device"
    /// Any other type.
    case other
}

/// A timestamp of a file, as the file system stores it.
public struct FileTime: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64
    /// The nanoseconds within the second.
    public var nanoseconds: UInt32

    /// Makes a time from seconds since 1970 and nanoseconds.
    public init(seconds: Int64, nanoseconds: UInt32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// The nanoseconds since 1970, as far as the number reaches.
    fileprivate var sinceEpoch: Int64 {
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = product.addingReportingOverflow(Int64(nanoseconds))
        return isTooLarge || isBeyond ? (seconds < 0 ? .min : .max) : sum
    }

    /// Orders two times.
    public static func < (left: FileTime, right: FileTime) -> Bool {
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
public struct FileAttributes: Sendable, Hashable {
    /// The file type.
    public var type: FileKind
    /// The size in bytes.
    public var size: Int64
    /// The permission bits, including the set-id and sticky bits.
    public var permissions: UInt16
    /// The owner.
    public var owner: FileOwner
    /// The time of the last change of the content (mtime).
    public var modified: FileTime
    /// The time of the last change of the content or the attributes (ctime).
    public var changed: FileTime
    /// The number of hard links.
    package var links: UInt64
    /// The device and inode numbers.
    package var identity: FileIdentity

    /// Makes attributes for files that are not in a file system.
    public init(
        type: FileKind, size: Int64, permissions: UInt16, owner: FileOwner, modified: FileTime, changed: FileTime
    ) {
        self.init(
            type: type, size: size, permissions: permissions, owner: owner, modified: modified, changed: changed,
            links: 1, identity: FileIdentity(device: 0, inode: 0))
    }

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

    /// The properties that change with the content or the attributes.
    package var stamp: FileStamp {
        FileStamp(
            device: identity.device, inode: identity.inode, size: size, modified: modified.sinceEpoch,
            changed: changed.sinceEpoch)
    }
}

/// The user and the group that own a file.
public struct FileOwner: Sendable, Hashable {
    /// The user ID.
    public var user: UInt32
    /// The group ID.
    public var group: UInt32

    /// Makes an owner from two IDs.
    public init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}
