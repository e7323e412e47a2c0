/// One entry of a directory.
package struct FileEntry: Sendable, Hashable {
    /// Its path in the area.
    package var path: SandboxPath
    /// What it is.
    package var attributes: FileAttributes

    /// Takes both.
    package init(path: SandboxPath, attributes: FileAttributes) {
        self.path = path
        self.attributes = attributes
    }
}

/// A page of a directory's entries, sorted by the bytes of their paths.
package struct Listing: Sendable, Hashable {
    /// The entries.
    package var entries: [FileEntry]
    /// Whether there are more behind the last one; the next page begins after it.
    package var hasMore: Bool
    /// How many entries were passed over, since their names are not such as an area may have; deleting the directory
    /// with all it holds takes them away.
    package var unnameable: Int

    /// Takes all of it.
    package init(entries: [FileEntry] = [], hasMore: Bool = false, unnameable: Int = 0) {
        self.entries = entries
        self.hasMore = hasMore
        self.unnameable = unnameable
    }
}
