/// One entry of a directory.
package struct FileEntry: Sendable, Equatable {
    /// The path in the area.
    package var path: SandboxPath
    /// The entry's attributes.
    package var attributes: FileAttributes

    /// Makes an entry.
    package init(path: SandboxPath, attributes: FileAttributes) {
        self.path = path
        self.attributes = attributes
    }
}

/// A page of a directory's entries, sorted by the bytes of their paths.
package struct Listing: Sendable, Equatable {
    /// The entries.
    package var entries: [FileEntry]
    /// True if there are more entries after the last one; the next page starts after it.
    package var hasMore: Bool
    /// The number of omitted entries whose names are not valid in an area; a recursive removal of the directory removes
    /// them.
    package var unnameable: Int

    /// Makes a page.
    package init(entries: [FileEntry] = [], hasMore: Bool = false, unnameable: Int = 0) {
        self.entries = entries
        self.hasMore = hasMore
        self.unnameable = unnameable
    }
}
