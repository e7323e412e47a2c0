package import SystemPackage

/// Writes whole files so that after a power cut at any instant either the old content is there or the new one.
///
/// It is a ``DurableWriter`` that is given all at once, for those who have a directory and need no area.
package enum DurableFile {
    /// Begins the name of every temporary file; names that begin so are reserved.
    package static let temporaryPrefix = ".cleat-write-"

    /// Puts `bytes` in the place of a file's content, or makes the file.
    ///
    /// - Parameters:
    ///   - bytes: the whole content.
    ///   - name: the file's name in `directory`; no slash, and not a reserved name.
    ///   - directory: an open directory.
    ///   - permissions: those of the new file.
    ///   - owner: whom the file shall belong to; nil for the one who writes.
    ///   - calls: the system calls, which a test can make fail.
    /// - Throws: the step that failed.
    package static func write(
        _ bytes: [UInt8], to name: String, in directory: FileDescriptor,
        permissions: FilePermissions = .ownerReadWrite, owner: FileOwner? = nil,
        calls: any DurableFileCalls = SystemFileCalls()
    ) throws(DurableFileError) {
        let writer = try DurableWriter(to: name, in: directory, calls: calls)
        try writer.write(bytes)
        try writer.commit(permissions: permissions, owner: owner)
    }

    /// Takes away the temporary files that a cut-off write has left; to be called before anything writes there.
    ///
    /// - Returns: how many there were.
    /// - Throws: why the directory could not be listed.
    @discardableResult
    package static func sweep(in directory: FileDescriptor) throws(DurableFileError) -> Int {
        let calls = SystemFileCalls()
        var count = 0
        do throws(Errno) {
            for name in try SystemFileCalls.names(in: directory) where name.utf8.starts(with: temporaryPrefix.utf8) {
                if (try? calls.remove(name, in: directory)) != nil { count += 1 }
            }
        } catch {
            throw DurableFileError(stage: .sweep, name: ".", cause: error)
        }
        return count
    }

    static func isPlain(_ name: String) -> Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && bytes.count <= 255 && name != "." && name != ".."
            && !bytes.contains(UInt8(ascii: "/")) && !bytes.contains(0) && !bytes.starts(with: temporaryPrefix.utf8)
    }
}
