internal import CleatIO
package import SystemPackage

/// Changes the files of an area durably: a change that returned without an error survives a power cut.
extension SandboxedDirectory {
    /// Starts to write a file that becomes visible when it is committed.
    ///
    /// - Parameters:
    ///   - path: The file to make or replace.
    ///   - permissions: The permissions; nil for those of the replaced file, or 0640.
    ///   - owner: The owner; nil for the owner of the replaced file, or this process's user and group.
    ///   - reservation: The space reserved for the file (``AreaAccount/reservation(bytes:files:)``).
    /// - Returns: The writer, which removes its temporary file if it is released without a commit.
    /// - Throws: The reason why the file cannot be written.
    package func writer(
        _ path: SandboxPath, permissions: FilePermissions? = nil, owner: FileOwner? = nil,
        reservation: QuotaReservation? = nil
    ) throws(SandboxError) -> FileWriter {
        try FileWriter(root: root, path: path, permissions: permissions, owner: owner, reservation: reservation)
    }

    /// Makes or replaces a whole file.
    ///
    /// - Throws: The reason why it was not written; the old file is unchanged then.
    package func write(
        _ bytes: [UInt8], to path: SandboxPath, permissions: FilePermissions? = nil, owner: FileOwner? = nil
    ) throws(SandboxError) {
        let writer = try writer(path, permissions: permissions, owner: owner)
        try writer.write(bytes)
        try writer.commit()
    }

    /// Sets the permissions of a file or a directory, durably.
    ///
    /// - Throws: The reason why they were not set; links, special files and files with more than one name are refused.
    package func setPermissions(_ permissions: FilePermissions, of path: SandboxPath) throws(SandboxError) {
        let operation = "set the permissions of"
        let seen = try root.look(path, operation)
        let attributes = try root.attributes(of: seen, path, operation)
        if attributes.type != .directory { try root.check(attributes, path, operation) }
        let purpose: OpenPurpose = attributes.type == .directory ? .list : .read
        // The new permissions may forbid to open the file for the flush, and so may the old ones.
        var file = try? Descriptor(owning: root.calls.reopen(seen.descriptor, for: purpose))
        do throws(Errno) {
            try repeated { () throws(Errno) in
                try root.calls.setPermissions(permissions, ofInspected: seen.descriptor)
            }
            if file == nil { file = Descriptor(owning: try root.calls.reopen(seen.descriptor, for: purpose)) }
        } catch {
            throw SandboxError(error, operation, area: area, path: path.text)
        }
        if let file { try root.flush(file, path, operation) }
    }
}

/// Repeats a call as long as it is interrupted (EINTR).
func repeated<Value>(_ call: () throws(Errno) -> Value) throws(Errno) -> Value {
    while true {
        do throws(Errno) {
            return try call()
        } catch {
            if error != .interrupted { throw error }
        }
    }
}
