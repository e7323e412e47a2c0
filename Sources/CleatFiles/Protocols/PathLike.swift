public import CleatSandbox

/// Adapts a type to the operations on typed paths: ``FilesPath`` itself, and a text, which is validated.
///
/// The default implementations below take such a value, and pass its path to the requirements of the protocols. They
/// throw `badPath` for one that is not valid.
public protocol PathLike: Sendable {
    /// The value as a path.
    var filesPath: FilesPath { get throws(FilesError) }
}

extension FilesPath: PathLike {
    /// The path itself.
    public var filesPath: FilesPath { self }
}

extension String: PathLike {
    /// The text as a path.
    public var filesPath: FilesPath { get throws(FilesError) { try FilesPath(self) } }
}

extension FilesMetadata {
    /// Returns the attributes of a path; of a link, its own.
    public func attributes(of path: some PathLike) async throws(FilesError) -> FileAttributes {
        try await attributes(at: path.filesPath)
    }
    /// Returns the path in the system's tree; nil if the files are not in this system.
    public func realPath(of path: some PathLike) async throws(FilesError) -> String? {
        try await realPath(at: path.filesPath)
    }
}

extension FilesStatus {
    /// Returns true if the path exists.
    public func exists(_ path: some PathLike) async throws(FilesError) -> Bool { try await exists(at: path.filesPath) }
    /// Returns true if the program could read the file, or list the directory.
    public func isReadable(_ path: some PathLike) async throws(FilesError) -> Bool {
        try await isReadable(at: path.filesPath)
    }
    /// Returns true if the program could write the file, or change the directory.
    public func isWritable(_ path: some PathLike) async throws(FilesError) -> Bool {
        try await isWritable(at: path.filesPath)
    }
}

extension FilesListing {
    /// Lists a directory, sorted by the bytes of the paths; entries whose names are not valid as a path are omitted.
    ///
    /// One page of entries is in memory at a time. Entries that are made or removed meanwhile may be missing.
    public func list(
        _ directory: some PathLike = FilesPath.root, recursive: Bool = false
    ) -> FilesSequence<FilesEntry> {
        FilesSequence {
            var page = FilesPage(entries: [], hasMore: true)
            var next = 0
            return { () async throws(FilesError) in
                if next == page.entries.count, page.hasMore {
                    page = try await self.page(
                        at: directory.filesPath, recursive: recursive, after: page.entries.last?.path,
                        limit: FilesPage.limit)
                    next = 0
                }
                guard next < page.entries.count else { return nil }
                defer { next += 1 }
                return page.entries[next]
            }
        }
    }
}

extension FilesWatching {
    /// Follows the files that are completely written into a directory; see ``arrivals(at:)``.
    public func arrivals(in directory: some PathLike) async throws(FilesError) -> FilesSequence<FilesArrival> {
        try await arrivals(at: directory.filesPath)
    }
}

extension FilesReading {
    /// Reads a whole file of at most `limit` bytes.
    public func read(_ path: some PathLike, limit: Int = 1 << 20) async throws(FilesError) -> [UInt8] {
        try await read(at: path.filesPath, limit: limit)
    }
    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    public func read(_ path: some PathLike, from offset: Int64, upTo count: Int) async throws(FilesError) -> [UInt8] {
        let path = try path.filesPath
        try FilesError.requirePart(from: offset, upTo: count, of: "\(path)")
        return try await read(at: path, from: offset, upTo: count)
    }
    /// Opens a file to read it in parts.
    public func reader(_ path: some PathLike) async throws(FilesError) -> FilesReader {
        try await reader(at: path.filesPath)
    }
    /// Copies a file into other files, in parts; an existing file there is replaced.
    public func copy(
        _ path: some PathLike, into files: some FilesManipulation, as other: some PathLike
    ) async throws(FilesError) {
        let parts = try await reader(path).parts
        let writer = try await files.writer(other)
        for try await part in parts { try await writer.write(part) }
        try await writer.commit()
    }
}

extension FilesManipulation {
    /// Starts to write a file that becomes visible when it is committed.
    public func writer(_ path: some PathLike, permissions: UInt16? = nil) async throws(FilesError) -> FilesWriter {
        try await writer(at: path.filesPath, permissions: permissions)
    }
    /// Makes or replaces a whole file; nil keeps the permissions of a replaced file.
    public func write(_ bytes: [UInt8], to path: some PathLike, permissions: UInt16? = nil) async throws(FilesError) {
        try await write(bytes, at: path.filesPath, permissions: permissions)
    }
    /// Appends bytes to a file, or makes the file; all of them or none.
    public func append(_ bytes: [UInt8], to path: some PathLike) async throws(FilesError) {
        try await append(bytes, at: path.filesPath)
    }
    /// Makes a directory; with `withParents`, missing parents, too.
    public func makeDirectory(_ path: some PathLike, withParents: Bool = false) async throws(FilesError) {
        try await makeDirectory(at: path.filesPath, withParents: withParents)
    }
    /// Moves or renames a file or a directory.
    public func move(_ path: some PathLike, to other: some PathLike, replacing: Bool = false) async throws(FilesError) {
        try await move(at: path.filesPath, to: other.filesPath, replacing: replacing)
    }
    /// Copies a file with its permissions.
    public func copy(_ path: some PathLike, to other: some PathLike, replacing: Bool = false) async throws(FilesError) {
        try await copy(at: path.filesPath, to: other.filesPath, replacing: replacing)
    }
    /// Removes a file, a link itself, or a directory, with `recursive` all of its contents, too.
    public func remove(_ path: some PathLike, recursive: Bool = false) async throws(FilesError) {
        try await remove(at: path.filesPath, recursive: recursive)
    }
    /// Gives a file or a directory another name in its directory, and returns the new path.
    @discardableResult
    public func rename(
        _ path: some PathLike, to name: String, replacing: Bool = false
    ) async throws(FilesError) -> FilesPath {
        let other = try path.filesPath.parent.appending(name)
        guard other.parent == (try path.filesPath.parent) else {
            throw FilesError(.badPath, path: name, message: "“\(name)” is not one name", remedy: "move the file")
        }
        return try await rename(path.filesPath, other, replacing)
    }
    /// Replaces the extension of a name, or removes it for nil, and returns the new path.
    @discardableResult
    public func changeExtension(
        of path: some PathLike, to fileExtension: String?, replacing: Bool = false
    ) async throws(FilesError) -> FilesPath {
        try await rename(path.filesPath, path.filesPath.withExtension(fileExtension), replacing)
    }
    /// Sets the permission bits of a file or a directory, such as `0o640`.
    public func setPermissions(_ permissions: UInt16, of path: some PathLike) async throws(FilesError) {
        try await setPermissions(permissions, at: path.filesPath)
    }

    private func rename(
        _ path: FilesPath, _ other: FilesPath, _ replacing: Bool
    ) async throws(FilesError) -> FilesPath {
        if other != path { try await move(at: path, to: other, replacing: replacing) }
        return other
    }
}
