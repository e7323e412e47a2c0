package import SystemPackage

/// Provides the operations of ``SandboxedDirectory`` to callers that name files by `String`s.
package struct PathAdapter: Sendable {
    /// The adapted directory.
    package let files: SandboxedDirectory

    /// Makes an adapter of an area.
    package init(_ files: SandboxedDirectory) { self.files = files }

    /// Makes an adapter of an open area.
    package init(_ root: AreaRoot) { files = SandboxedDirectory(root) }

    /// Returns true if the path exists.
    package func exists(_ path: String) throws(SandboxError) -> Bool { try files.exists(SandboxPath(path)) }

    /// Returns true if this process could read a file or list a directory.
    package func isReadable(_ path: String) throws(SandboxError) -> Bool { try files.isReadable(SandboxPath(path)) }

    /// Returns true if this process could write a file or change a directory.
    package func isWritable(_ path: String) throws(SandboxError) -> Bool { try files.isWritable(SandboxPath(path)) }

    /// Returns the attributes of a path; of a link, its own.
    package func attributes(of path: String) throws(SandboxError) -> FileAttributes {
        try files.attributes(of: SandboxPath(path))
    }

    /// Reads a whole file, of at most `limit` bytes.
    package func read(_ path: String, limit: Int = 1 << 20) throws(SandboxError) -> [UInt8] {
        try files.read(SandboxPath(path), limit: limit)
    }

    /// Reads a whole file as text.
    ///
    /// - Throws: `failed` if it is not UTF-8; the reason why it could not be read.
    package func text(of path: String, limit: Int = 1 << 20) throws(SandboxError) -> String {
        guard let text = String(validating: try read(path, limit: limit), as: UTF8.self) else {
            throw SandboxError(
                .failed, "read", area: files.area, path: path, detail: "it is not UTF-8; read it as bytes")
        }
        return text
    }

    /// Reads a part of a file; bytes beyond its end are omitted.
    package func read(_ path: String, at offset: Int64, upTo count: Int) throws(SandboxError) -> [UInt8] {
        try files.read(SandboxPath(path), at: offset, upTo: count)
    }

    /// Opens a file to read it in parts.
    package func reader(_ path: String) throws(SandboxError) -> FileReader { try files.reader(SandboxPath(path)) }

    /// Starts to write a file that becomes visible when it is committed.
    package func writer(
        _ path: String, permissions: FilePermissions? = nil, owner: FileOwner? = nil
    ) throws(SandboxError) -> FileWriter {
        try files.writer(SandboxPath(path), permissions: permissions, owner: owner)
    }

    /// Makes or replaces a whole file.
    package func write(_ bytes: [UInt8], to path: String, permissions: FilePermissions? = nil) throws(SandboxError) {
        try files.write(bytes, to: SandboxPath(path), permissions: permissions)
    }

    /// Makes or replaces a whole file with a text as its content.
    package func write(_ text: String, to path: String, permissions: FilePermissions? = nil) throws(SandboxError) {
        try write(Array(text.utf8), to: path, permissions: permissions)
    }

    /// Appends bytes to a file, or makes the file.
    package func append(_ bytes: [UInt8], to path: String) throws(SandboxError) {
        try files.append(bytes, to: SandboxPath(path))
    }

    /// Removes a file.
    package func delete(_ path: String) throws(SandboxError) { try files.delete(SandboxPath(path)) }

    /// Renames a file or a directory, within its directory or to another directory of the area.
    package func rename(_ path: String, to other: String, replacing: Bool = false) throws(SandboxError) {
        try files.rename(SandboxPath(path), to: SandboxPath(other), replacing: replacing)
    }

    /// Replaces or removes the extension of a file's name, and returns the new path.
    @discardableResult
    package func changeExtension(
        of path: String, to fileExtension: String?, replacing: Bool = false
    ) throws(SandboxError) -> String {
        try files.changeExtension(of: SandboxPath(path), to: fileExtension, replacing: replacing).text
    }

    /// Moves a file or a directory into another area.
    package func move(
        _ path: String, to area: PathAdapter, as other: String, replacing: Bool = false
    ) throws(SandboxError) {
        try files.move(SandboxPath(path), to: area.files, as: SandboxPath(other), replacing: replacing)
    }

    /// Copies a file, in this area or into another.
    package func copy(
        _ path: String, to area: PathAdapter? = nil, as other: String, replacing: Bool = false
    ) throws(SandboxError) {
        try files.copy(SandboxPath(path), to: area?.files ?? files, as: SandboxPath(other), replacing: replacing)
    }

    /// Makes a directory.
    package func makeDirectory(_ path: String, withParents: Bool = false) throws(SandboxError) {
        try files.makeDirectory(SandboxPath(path), withParents: withParents)
    }

    /// Removes a directory.
    package func removeDirectory(_ path: String, recursive: Bool = false) throws(SandboxError) {
        try files.removeDirectory(SandboxPath(path), recursive: recursive)
    }

    /// Lists a directory, sorted by the bytes of the paths, a page at a time.
    package func list(
        _ path: String = "", recursive: Bool = false, limit: Int = 1000, after: String? = nil
    ) throws(SandboxError) -> Listing {
        var previous: SandboxPath?
        if let after { previous = try SandboxPath(after) }
        return try files.list(SandboxPath(path), recursive: recursive, limit: limit, after: previous)
    }
}
