internal import CleatIO
package import SystemPackage

/// Changes the files of an area, durably: what returned without an error outlasts a power cut.
package protocol FileManipulation: DirectoryNames {}

extension FileManipulation {
    /// Begins to write a file that is seen when it is committed.
    ///
    /// - Parameters:
    ///   - path: the file that is to be made or replaced.
    ///   - permissions: those of the file; nil for those of the one that is replaced, or 0640.
    ///   - owner: whom it shall belong to; nil for the owner of the one that is replaced, or the one who writes.
    ///   - promise: room that was kept for it (``AreaAccount/promise(bytes:files:)``).
    /// - Returns: the writer, which takes its temporary file away where it is let go uncommitted.
    /// - Throws: why it cannot be written there.
    package func writer(
        _ path: SandboxPath, permissions: FilePermissions? = nil, owner: FileOwner? = nil,
        promise: RoomPromise? = nil
    ) throws(SandboxError) -> FileWriter {
        try FileWriter(root: root, path: path, permissions: permissions, owner: owner, promise: promise)
    }

    /// Writes a whole file, or replaces it.
    ///
    /// - Throws: why not; the old file is whole then.
    package func write(
        _ bytes: [UInt8], to path: SandboxPath, permissions: FilePermissions? = nil, owner: FileOwner? = nil
    ) throws(SandboxError) {
        let writer = try writer(path, permissions: permissions, owner: owner)
        try writer.write(bytes)
        try writer.commit()
    }
}

/// Makes a call again for as long as it is interrupted.
func repeated<Value>(_ call: () throws(Errno) -> Value) throws(Errno) -> Value {
    while true {
        do throws(Errno) {
            return try call()
        } catch {
            if error != .interrupted { throw error }
        }
    }
}
