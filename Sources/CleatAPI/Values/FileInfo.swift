/// Describes what stands at a path of an area.
package struct FileInfo: Codable, Hashable, Sendable {
    /// The path, relative to the area; empty for the area itself.
    package var path: String
    /// What kind of thing it is.
    package var type: Kind
    /// The size in bytes; 0 where it is not a file.
    package var size: Int64
    /// The permissions, in octal digits: `0644`.
    package var mode: String
    /// The number of the owner.
    package var uid: Int
    /// The number of the group.
    package var gid: Int
    /// The number of names that it has.
    package var links: Int
    /// When its content changed last, in RFC 3339.
    package var modified: String

    /// Creates a description.
    package init(
        path: String, type: Kind, size: Int64 = 0, mode: String, uid: Int = 0, gid: Int = 0, links: Int = 1,
        modified: String
    ) {
        self.path = path
        self.type = type
        self.size = size
        self.mode = mode
        self.uid = uid
        self.gid = gid
        self.links = links
        self.modified = modified
    }

    /// What kind of thing stands at a path.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A file with content.
        case file
        /// A directory.
        case directory
        /// A symbolic link, which is never followed.
        case link
        /// A device, a socket or a FIFO, which is never opened.
        case other
    }
}
