public import CleatSandbox

/// The name of a set of files.
public protocol FilesNames: Sendable {
    /// The name of the files in messages: the directory, or the area.
    var label: String { get }
}

/// Reads the metadata of files.
public protocol FilesMetadata: FilesNames {
    /// Returns the attributes of a path; of a link, its own.
    ///
    /// - Throws: ``FilesError``: `notFound`, or the reason why they could not be read.
    func attributes(at path: FilesPath) async throws(FilesError) -> FileAttributes
    /// Returns the path in the system's tree; nil, by default, if the files are not in this system.
    ///
    /// - Throws: ``FilesError``: `notFound`, or the reason why it could not be determined.
    func realPath(at path: FilesPath) async throws(FilesError) -> String?
}

extension FilesMetadata {
    /// Returns nil.
    public func realPath(at path: FilesPath) async throws(FilesError) -> String? { nil }
}

/// Checks files without opening them; an error is the reason why a file could not be checked.
public protocol FilesStatus: FilesMetadata {
    /// Returns true if the path exists; by default determined by its attributes.
    func exists(at path: FilesPath) async throws(FilesError) -> Bool
    /// Returns true if the program could read the file, or list the directory.
    func isReadable(at path: FilesPath) async throws(FilesError) -> Bool
    /// Returns true if the program could write the file, or change the directory.
    func isWritable(at path: FilesPath) async throws(FilesError) -> Bool
}

extension FilesStatus {
    /// Returns true if the path has attributes.
    public func exists(at path: FilesPath) async throws(FilesError) -> Bool {
        do throws(FilesError) {
            _ = try await attributes(at: path)
            return true
        } catch {
            if error.code == .notFound || error.code == .notDirectory { return false }
            throw error
        }
    }
}

/// Reads the contents of files; an error is the reason why a file could not be read.
public protocol FilesReading: FilesNames {
    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(at path: FilesPath, from offset: Int64, upTo count: Int) async throws(FilesError) -> [UInt8]
    /// Reads a whole file of at most `limit` bytes, else throws `tooLarge`; by default as one part.
    func read(at path: FilesPath, limit: Int) async throws(FilesError) -> [UInt8]
    /// Opens a file to read it in parts; by default each part is read by its path.
    func reader(at path: FilesPath) async throws(FilesError) -> FilesReader
}

extension FilesReading {
    /// Reads a whole file as one part.
    public func read(at path: FilesPath, limit: Int) async throws(FilesError) -> [UInt8] {
        let bytes = try await read(at: path, from: 0, upTo: min(max(limit, 0), .max - 1) + 1)
        guard bytes.count > limit else { return bytes }
        throw FilesError(
            .tooLarge, path: path.description, message: "“\(path)” in \(label) has more than \(limit) bytes",
            remedy: "read it in parts")
    }

    /// Returns a reader that reads each part by its path.
    public func reader(at path: FilesPath) async throws(FilesError) -> FilesReader {
        FilesReader { offset, count async throws(FilesError) in try await read(at: path, from: offset, upTo: count) }
    }
}

/// Lists directories.
public protocol FilesListing: FilesNames {
    /// Returns a page of a directory's entries, sorted by the bytes of their paths.
    ///
    /// The page starts after the path `after`, and has at most `limit` entries, 1 to ``FilesPage/limit``; with
    /// `recursive`, it includes the contents of subdirectories.
    func page(at path: FilesPath, recursive: Bool, after: FilesPath?, limit: Int) async throws(FilesError) -> FilesPage
}

/// Reports files that arrive.
public protocol FilesWatching: FilesNames {
    /// Follows the files that are completely written into a directory, from the return of this call on.
    ///
    /// Files that exist already are not reported: list the directory after this call. The reports for a slow reader are
    /// bounded, and the loss of further ones is reported. Each report is delivered once, so there is one reader.
    ///
    /// - Throws: ``FilesError``: the reason why the directory cannot be followed.
    func arrivals(at path: FilesPath) async throws(FilesError) -> FilesSequence<FilesArrival>
}

/// Changes files; a change that returned without an error survives a power cut.
public protocol FilesManipulation: FilesNames {
    /// Starts to write a file that becomes visible when it is committed, and replaces an existing one.
    ///
    /// The permission bits are such as `0o640`; nil for those of the replaced file, or 0640.
    func writer(at path: FilesPath, permissions: UInt16?) async throws(FilesError) -> FilesWriter
    /// Makes or replaces a whole file, or leaves the former one unchanged; by default by a writer.
    func write(_ bytes: [UInt8], at path: FilesPath, permissions: UInt16?) async throws(FilesError)
    /// Appends bytes to a file, or makes the file; all of them or none.
    func append(_ bytes: [UInt8], at path: FilesPath) async throws(FilesError)
    /// Makes a directory; with `withParents`, missing parents, too, and an existing directory is not an error.
    func makeDirectory(at path: FilesPath, withParents: Bool) async throws(FilesError)
    /// Moves or renames a file or a directory; an existing file is replaced, or else `exists` is thrown.
    func move(at path: FilesPath, to other: FilesPath, replacing: Bool) async throws(FilesError)
    /// Copies a file with its permissions; an existing file is replaced, or else `exists` is thrown.
    func copy(at path: FilesPath, to other: FilesPath, replacing: Bool) async throws(FilesError)
    /// Removes a file, a link itself, or a directory: an empty one, or with `recursive` all of its contents, too.
    ///
    /// - Throws: ``FilesError``: `notFound`, `notEmpty`, or `tooMany` if only a part was removed and the call has to be
    ///   repeated.
    func remove(at path: FilesPath, recursive: Bool) async throws(FilesError)
    /// Sets the permission bits of a file or a directory, such as `0o640`.
    func setPermissions(_ permissions: UInt16, at path: FilesPath) async throws(FilesError)
}

extension FilesManipulation {
    /// Makes or replaces a whole file by a writer.
    public func write(_ bytes: [UInt8], at path: FilesPath, permissions: UInt16?) async throws(FilesError) {
        let writer = try await writer(at: path, permissions: permissions)
        try await writer.write(bytes)
        try await writer.commit()
    }
}

/// All operations on a set of files.
public protocol Files: FilesStatus, FilesReading, FilesManipulation, FilesListing {}
