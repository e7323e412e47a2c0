package import SystemPackage

/// Writes whole files so that after a power cut at any moment the file has either the old or the new content.
///
/// It is a ``DurableWriter`` that gets all bytes at once, for callers that have a directory and need no area.
package enum DurableFile {
    /// The prefix of every temporary file's name; names with this prefix are reserved.
    package static let temporaryPrefix = ".cleat-write-"

    /// Replaces a file's content by `bytes`, or makes the file.
    ///
    /// - Parameters:
    ///   - bytes: The whole content.
    ///   - name: The file's name in `directory`; no slash, and not a reserved name.
    ///   - directory: An open directory.
    ///   - permissions: The permissions of the new file.
    ///   - owner: The owner of the new file; nil for this process's user and group.
    ///   - calls: The system calls, which a test can make fail.
    /// - Throws: The step that failed.
    package static func write(
        _ bytes: [UInt8], to name: String, in directory: FileDescriptor,
        permissions: FilePermissions = .ownerReadWrite, owner: FileOwner? = nil,
        calls: any DurableFileCalls = SystemFileCalls()
    ) throws(DurableFileError) {
        let writer = try DurableWriter(to: name, in: directory, calls: calls)
        try writer.write(bytes)
        try writer.commit(permissions: permissions, owner: owner)
    }

    /// Removes the temporary files of interrupted writes; call it before anything writes in the directory.
    ///
    /// - Returns: The number of removed files.
    /// - Throws: The reason why the directory could not be listed.
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

extension FileName {
    /// True if it is the name of a durable write's temporary file.
    package var isTemporary: Bool { terminated.starts(with: DurableFile.temporaryPrefix.utf8) }
}
