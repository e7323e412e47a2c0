public import CleatSandbox
import SystemPackage

extension Sandbox {
    /// Returns the attributes of a path; of a link, its own.
    public func attributes(at path: FilesPath) async throws(FilesError) -> FileAttributes {
        try await run { try $0.attributes(of: path.checked) }
    }
    /// Returns the path in the system's tree, as it is now.
    public func realPath(at path: FilesPath) async throws(FilesError) -> String? {
        try await run { try $0.realPath(of: path.checked) }
    }
    /// Returns true if the path exists.
    public func exists(at path: FilesPath) async throws(FilesError) -> Bool {
        try await run { try $0.exists(path.checked) }
    }
    /// Returns true if the program could read the file, or list the directory.
    public func isReadable(at path: FilesPath) async throws(FilesError) -> Bool {
        try await run { try $0.isReadable(path.checked) }
    }
    /// Returns true if the program could write the file, or change the directory.
    public func isWritable(at path: FilesPath) async throws(FilesError) -> Bool {
        try await run { try $0.isWritable(path.checked) }
    }
    /// Returns a page of a directory's entries.
    public func page(
        at path: FilesPath, recursive: Bool, after: FilesPath?, limit: Int
    ) async throws(FilesError) -> FilesPage {
        let page = try await run {
            try $0.list(path.checked, recursive: recursive, limit: limit, after: after?.checked)
        }
        let entries = page.entries.map { FilesEntry(path: FilesPath($0.path), attributes: $0.attributes) }
        return FilesPage(entries: entries, hasMore: page.hasMore, unnameable: page.unnameable)
    }
    /// Follows the files that are completely written into a directory; the kernel's queue bounds the reports.
    public func arrivals(at path: FilesPath) async throws(FilesError) -> FilesSequence<FilesArrival> {
        let watch = try await run { try SandboxWatch($0.root, path.checked) }
        return FilesSequence { { () async throws(FilesError) in try await watch.next(on: self) } }
    }
    /// Reads a part of a file.
    public func read(at path: FilesPath, from offset: Int64, upTo count: Int) async throws(FilesError) -> [UInt8] {
        try FilesError.requirePart(from: offset, upTo: count, of: "\(path)")
        return try await run { try Self.read($0.reader(path.checked), from: offset, upTo: count) }
    }
    /// Reads a whole file.
    public func read(at path: FilesPath, limit: Int) async throws(FilesError) -> [UInt8] {
        try await run { try $0.read(path.checked, limit: min(limit, .max - 1)) }
    }
    /// Opens a file to read it in parts; it stays the same file if another one takes its name.
    public func reader(at path: FilesPath) async throws(FilesError) -> FilesReader {
        let reader = try await run { try $0.reader(path.checked) }
        return FilesReader { offset, count async throws(FilesError) in
            try await run { _ in try Self.read(reader, from: offset, upTo: count) }
        }
    }
    /// Starts to write a file that becomes visible when it is committed.
    public func writer(at path: FilesPath, permissions: UInt16?) async throws(FilesError) -> FilesWriter {
        let writer = try await run { try $0.writer(path.checked, permissions: permissions.map(Self.bits)) }
        return FilesWriter { bytes async throws(FilesError) in
            try await run { _ in try writer.write(bytes) }
        } commit: { () async throws(FilesError) in
            try await run { _ in try writer.commit() }
        }
    }
    /// Makes or replaces a whole file.
    public func write(_ bytes: [UInt8], at path: FilesPath, permissions: UInt16?) async throws(FilesError) {
        try await run { try $0.write(bytes, to: path.checked, permissions: permissions.map(Self.bits)) }
    }
    /// Appends bytes to a file, or makes the file.
    public func append(_ bytes: [UInt8], at path: FilesPath) async throws(FilesError) {
        try await run { try $0.append(bytes, to: path.checked) }
    }
    /// Makes a directory.
    public func makeDirectory(at path: FilesPath, withParents: Bool) async throws(FilesError) {
        try await run { try $0.makeDirectory(path.checked, withParents: withParents) }
    }
    /// Moves or renames a file or a directory.
    public func move(at path: FilesPath, to other: FilesPath, replacing: Bool) async throws(FilesError) {
        try await run { try $0.rename(path.checked, to: other.checked, replacing: replacing) }
    }
    /// Copies a file; its blocks are shared if the file system supports it.
    public func copy(at path: FilesPath, to other: FilesPath, replacing: Bool) async throws(FilesError) {
        let copy = try await run {
            try FileCopy(path.checked, in: $0.root, to: other.checked, in: $0.root, replacing: replacing)
        }
        // One part after another, so that other operations run in between, and a cancelled copy ends.
        while try await !run({ _ in try copy.step() }) {}
        try await run { _ in try copy.commit() }
    }
    /// Removes a file, a link itself, or a directory.
    public func remove(at path: FilesPath, recursive: Bool) async throws(FilesError) {
        try await run { files in
            do throws(SandboxError) {
                try files.delete(path.checked)
            } catch {
                guard error.code == .isDirectory else { throw error }
                try files.removeDirectory(path.checked, recursive: recursive)
            }
        }
    }
    /// Sets the permission bits of a file or a directory.
    public func setPermissions(_ permissions: UInt16, at path: FilesPath) async throws(FilesError) {
        try await run { try $0.setPermissions(Self.bits(permissions), of: path.checked) }
    }

    /// Reads a part of a file; a count beyond its end takes no memory.
    private static func read(_ reader: FileReader, from offset: Int64, upTo count: Int) throws -> [UInt8] {
        let rest = try reader.currentAttributes().size - max(offset, 0)
        return try reader.read(at: offset, upTo: min(count, Int(clamping: rest)))
    }

    /// Returns permission bits; the set-id and sticky bits are refused.
    private static func bits(_ permissions: UInt16) throws(FilesError) -> FilePermissions {
        if permissions <= 0o777 { return FilePermissions(rawValue: CModeT(permissions)) }
        throw FilesError(
            .denied, path: "", message: "0\(String(permissions, radix: 8)) has bits that are not permissions",
            remedy: "give 0 to 0777")
    }
}
