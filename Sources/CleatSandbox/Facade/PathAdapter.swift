package import SystemPackage

/// Does what ``SandboxedDirectory`` does, for callers that name files by `String`s.
package struct PathAdapter: Sendable {
    /// What it is an adapter of.
    package let files: SandboxedDirectory

    /// Takes an area.
    package init(_ files: SandboxedDirectory) { self.files = files }

    /// Takes an open area.
    package init(_ root: AreaRoot) { files = SandboxedDirectory(root) }

    /// Says whether there is anything at a path.
    package func exists(_ path: String) throws(SandboxError) -> Bool { try files.exists(SandboxPath(path)) }

    /// Says whether this process could read a file or list a directory.
    package func isReadable(_ path: String) throws(SandboxError) -> Bool { try files.isReadable(SandboxPath(path)) }

    /// Says whether this process could write a file or change a directory.
    package func isWritable(_ path: String) throws(SandboxError) -> Bool { try files.isWritable(SandboxPath(path)) }

    /// Looks at what a path names; a link is looked at itself.
    package func attributes(of path: String) throws(SandboxError) -> FileAttributes {
        try files.attributes(of: SandboxPath(path))
    }

    /// Reads a whole file, of at most `limit` bytes.
    package func read(_ path: String, limit: Int = 1 << 20) throws(SandboxError) -> [UInt8] {
        try files.read(SandboxPath(path), limit: limit)
    }

    /// Reads a whole file as text.
    ///
    /// - Throws: `failed` where it is not UTF-8; why it could not be read.
    package func text(of path: String, limit: Int = 1 << 20) throws(SandboxError) -> String {
        guard let text = String(validating: try read(path, limit: limit), as: UTF8.self) else {
            throw SandboxError(
                .failed, "read", area: files.area, path: path, detail: "it is not UTF-8; read it as bytes")
        }
        return text
    }

    /// Reads a part of a file; what lies behind its end is left out.
    package func read(_ path: String, at offset: Int64, upTo count: Int) throws(SandboxError) -> [UInt8] {
        try files.read(SandboxPath(path), at: offset, upTo: count)
    }

    /// Opens a file, to be read in parts.
    package func reader(_ path: String) throws(SandboxError) -> FileReader { try files.reader(SandboxPath(path)) }

    /// Begins to write a file that is seen when it is committed.
    package func writer(
        _ path: String, permissions: FilePermissions? = nil, owner: FileOwner? = nil
    ) throws(SandboxError) -> FileWriter {
        try files.writer(SandboxPath(path), permissions: permissions, owner: owner)
    }

    /// Writes a whole file, or replaces it.
    package func write(_ bytes: [UInt8], to path: String, permissions: FilePermissions? = nil) throws(SandboxError) {
        try files.write(bytes, to: SandboxPath(path), permissions: permissions)
    }

    /// Writes a text as a whole file, or replaces it.
    package func write(_ text: String, to path: String, permissions: FilePermissions? = nil) throws(SandboxError) {
        try write(Array(text.utf8), to: path, permissions: permissions)
    }

    /// Adds bytes at the end of a file, or makes the file.
    package func append(_ bytes: [UInt8], to path: String) throws(SandboxError) {
        try files.append(bytes, to: SandboxPath(path))
    }

    /// Takes a file away.
    package func delete(_ path: String) throws(SandboxError) { try files.delete(SandboxPath(path)) }

    /// Gives a file or a directory another name, in this or another directory of the area.
    package func rename(_ path: String, to other: String, replacing: Bool = false) throws(SandboxError) {
        try files.rename(SandboxPath(path), to: SandboxPath(other), replacing: replacing)
    }

    /// Gives a file the same name with another extension, or with none, and returns what it is called now.
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

    /// Takes a directory away.
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
