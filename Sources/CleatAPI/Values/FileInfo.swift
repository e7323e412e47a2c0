/// An entry at a path of an area.
package struct FileInfo: Codable, Hashable, Sendable {
    /// The path, relative to the area; empty for the area itself.
    package var path: String
    /// The type of the entry.
    package var type: Kind
    /// The size in bytes; 0 if it is not a file.
    package var size: Int64
    /// The permissions, in octal digits: `0644`.
    package var mode: String
    /// The user id of the owner.
    package var uid: Int
    /// The group id.
    package var gid: Int
    /// The number of hard links.
    package var links: Int
    /// The time of the last change of its content, RFC 3339 UTC.
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

    /// The type of an entry.
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
