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

    /// Adds bytes at the end of a file, or makes the file.
    ///
    /// What was there is never touched. A power cut in the middle may leave the beginning of what was added; an error
    /// leaves nothing of it.
    ///
    /// - Throws: why nothing was added.
    package func append(_ bytes: [UInt8], to path: SandboxPath) throws(SandboxError) {
        do throws(SandboxError) {
            try appendToExisting(bytes, path)
        } catch {
            guard error.code == .notFound else { throw error }
            try write(bytes, to: path)
        }
    }

    private func appendToExisting(_ bytes: [UInt8], _ path: SandboxPath) throws(SandboxError) {
        let (file, _) = try root.openFile(path, for: .append, "append to")
        let room = AreaUsage(bytes: Int64(bytes.count), files: 0)
        try root.account.change { ledger throws(SandboxError) in
            let size = try root.attributes(of: file, path, "append to").size
            try ledger.makeRoom(for: room, path: path)
            do throws(Errno) {
                try ledger.changing { () throws(Errno) in
                    try writeAll(bytes, to: file.descriptor)
                    try repeated { () throws(Errno) in try root.calls.flush(file.descriptor) }
                }
                ledger.add(room)
            } catch {
                let undone = Result { () throws(Errno) in
                    try repeated { () throws(Errno) in try root.calls.truncate(file.descriptor, to: size) }
                }
                var detail: String?
                if case .failure(let cause) = undone {
                    detail = "a part may have been added (\(error)), and could not be taken away again (\(cause))"
                }
                throw SandboxError(error, "append to", area: area, path: path.text, detail: detail)
            }
        }
    }

    private func writeAll(_ bytes: [UInt8], to file: FileDescriptor) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let start = done
            let written = try repeated { () throws(Errno) -> Int in
                let result = unsafe bytes.withUnsafeBytes { all in
                    Result { () throws(Errno) in
                        try unsafe root.calls.write(UnsafeRawBufferPointer(rebasing: all[start...]), to: file)
                    }
                }
                return try result.get()
            }
            guard written > 0 else { throw Errno.ioError }
            done += written
        }
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
