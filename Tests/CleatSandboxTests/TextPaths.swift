import SystemPackage

@testable import CleatSandbox

/// Provides the operations of ``SandboxedDirectory`` to tests, with texts as paths.
struct TextPaths: Sendable {
    /// The adapted directory.
    let files: SandboxedDirectory

    /// Makes an adapter of an area.
    init(_ files: SandboxedDirectory) { self.files = files }

    /// Makes an adapter of an open area.
    init(_ root: AreaRoot) { files = SandboxedDirectory(root) }

    /// Returns true if the path exists.
    func exists(_ path: String) throws(SandboxError) -> Bool { try files.exists(SandboxPath(path)) }

    /// Returns the attributes of a path; of a link, its own.
    func attributes(of path: String) throws(SandboxError) -> FileAttributes {
        try files.attributes(of: SandboxPath(path))
    }

    /// Reads a whole file, of at most `limit` bytes.
    func read(_ path: String, limit: Int = 1 << 20) throws(SandboxError) -> [UInt8] {
        try files.read(SandboxPath(path), limit: limit)
    }

    /// Reads a whole file as text.
    ///
    /// - Throws: `failed` if it is not UTF-8; the reason why it could not be read.
    func text(of path: String, limit: Int = 1 << 20) throws(SandboxError) -> String {
        guard let text = String(validating: try read(path, limit: limit), as: UTF8.self) else {
            throw SandboxError(
                .failed, "read", area: files.area, path: path, detail: "it is not UTF-8; read it as bytes")
        }
        return text
    }

    /// Reads a part of a file; bytes beyond its end are omitted.
    func read(_ path: String, at offset: Int64, upTo count: Int) throws(SandboxError) -> [UInt8] {
        try files.read(SandboxPath(path), at: offset, upTo: count)
    }

    /// Opens a file to read it in parts.
    func reader(_ path: String) throws(SandboxError) -> FileReader { try files.reader(SandboxPath(path)) }

    /// Starts to write a file that becomes visible when it is committed.
    func writer(
        _ path: String, permissions: FilePermissions? = nil, owner: FileOwner? = nil
    ) throws(SandboxError) -> FileWriter {
        try files.writer(SandboxPath(path), permissions: permissions, owner: owner)
    }

    /// Makes or replaces a whole file.
    func write(_ bytes: [UInt8], to path: String, permissions: FilePermissions? = nil) throws(SandboxError) {
        try files.write(bytes, to: SandboxPath(path), permissions: permissions)
    }

    /// Makes or replaces a whole file with a text as its content.
    func write(_ text: String, to path: String, permissions: FilePermissions? = nil) throws(SandboxError) {
        try write(Array(text.utf8), to: path, permissions: permissions)
    }

    /// Appends bytes to a file, or makes the file.
    func append(_ bytes: [UInt8], to path: String) throws(SandboxError) {
        try files.append(bytes, to: SandboxPath(path))
    }

    /// Removes a file.
    func delete(_ path: String) throws(SandboxError) { try files.delete(SandboxPath(path)) }

    /// Renames a file or a directory, within its directory or to another directory of the area.
    func rename(_ path: String, to other: String, replacing: Bool = false) throws(SandboxError) {
        try files.rename(SandboxPath(path), to: SandboxPath(other), replacing: replacing)
    }

    /// Moves a file or a directory into another area.
    func move(
        _ path: String, to area: TextPaths, as other: String, replacing: Bool = false
    ) throws(SandboxError) {
        try files.move(SandboxPath(path), to: area.files, as: SandboxPath(other), replacing: replacing)
    }

    /// Copies a file, in this area or into another.
    func copy(
        _ path: String, to area: TextPaths? = nil, as other: String, replacing: Bool = false
    ) throws(SandboxError) {
        try files.copy(SandboxPath(path), to: area?.files ?? files, as: SandboxPath(other), replacing: replacing)
    }

    /// Makes a directory.
    func makeDirectory(_ path: String, withParents: Bool = false) throws(SandboxError) {
        try files.makeDirectory(SandboxPath(path), withParents: withParents)
    }

    /// Removes a directory.
    func removeDirectory(_ path: String, recursive: Bool = false) throws(SandboxError) {
        try files.removeDirectory(SandboxPath(path), recursive: recursive)
    }

    /// Lists a directory, sorted by the bytes of the paths, a page at a time.
    func list(
        _ path: String = "", recursive: Bool = false, limit: Int = 1000, after: String? = nil
    ) throws(SandboxError) -> Listing {
        var previous: SandboxPath?
        if let after { previous = try SandboxPath(after) }
        return try files.list(SandboxPath(path), recursive: recursive, limit: limit, after: previous)
    }
}
