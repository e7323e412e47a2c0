internal import CleatIO
internal import Synchronization
package import SystemPackage

/// Writes a file of an area as a stream: it becomes visible when it is committed, complete and durable, or never.
///
/// Written bytes count towards the quota from the first byte, and so does the replaced file until the commit: both are
/// on the disk. A writer that is released before the commit removes its temporary file.
package final class FileWriter: Sendable {
    private let root: AreaRoot
    private let path: SandboxPath
    private let directory: Descriptor
    private let writer: DurableWriter
    private let reservation: QuotaReservation?
    private let permissions: FilePermissions?
    private let owner: FileOwner?
    private let replacing: Bool
    private let written = Mutex<Int64>(0)
    private let isOver = Mutex(false)

    /// The permissions of a file that replaces no other.
    package static let newPermissions: FilePermissions = [.ownerReadWrite, .groupRead]

    /// Starts to write.
    ///
    /// - Parameters:
    ///   - root: The area.
    ///   - path: The file to make or replace.
    ///   - permissions: The permissions; nil for those of the replaced file, or 0640.
    ///   - owner: The owner; nil for the owner of the replaced file, or this process's user and group.
    ///   - reservation: The space reserved for the file; nil to reserve space with each part.
    ///   - replacing: True if a file that exists at the commit may be replaced.
    /// - Throws: The reason why the file cannot be written.
    init(
        root: AreaRoot, path: SandboxPath, permissions: FilePermissions?, owner: FileOwner?,
        reservation: QuotaReservation?,
        replacing: Bool = true
    ) throws(SandboxError) {
        let (directory, name) = try root.place(of: path, "write")
        let replaced = try root.replaceable(name, in: directory, path, "write")
        if reservation == nil, replaced == nil {
            self.reservation = try root.account.reserve(bytes: 0, files: 1)
        } else {
            self.reservation = reservation
        }
        writer = try root.account.change(in: directory) { ledger throws(SandboxError) in
            try ledger.changing { () throws(SandboxError) in
                do throws(DurableFileError) {
                    return try DurableWriter(to: path.name ?? "", in: directory.descriptor, calls: root.calls)
                } catch {
                    throw SandboxError(error, "write", area: root.area, path: path)
                }
            }
        }
        self.root = root
        self.path = path
        self.directory = directory
        self.permissions = permissions
        self.owner = owner
        self.replacing = replacing
    }

    deinit { discard() }

    /// The number of bytes written.
    package var count: Int64 { written.withLock { $0 } }

    /// Writes all of the bytes after those written before.
    ///
    /// - Throws: `quotaBytes`, or the reason why not all could be written; the temporary file is removed then.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SandboxError) {
        let size = Int64(bytes.count)
        _ = try extend(by: size) { () throws(DurableFileError) in
            try unsafe writer.write(bytes)
            return size
        }
    }

    /// Writes all of the bytes after those written before.
    package func write(_ bytes: [UInt8]) throws(SandboxError) {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(SandboxError) in try unsafe write(bytes) }
        }
        try result.get()
    }

    /// Passes the temporary file to `body`, which writes at most `size` bytes and returns their number.
    func fill(
        upTo size: Int64, _ body: (FileDescriptor) throws(Errno) -> Int64
    ) throws(SandboxError) -> Int64 {
        try extend(by: size) { () throws(DurableFileError) in try writer.withFile(body) }
    }

    /// Puts the file in place.
    ///
    /// - Throws: The reason why it was not committed; the old file is unchanged then, except if only the flush of the
    ///   directory failed.
    package func commit() throws(SandboxError) {
        let name = FileName(writer.name)
        let old = try ending { () throws(SandboxError) in try replaced(name) }
        try ending { () throws(SandboxError) in
            try durably { () throws(DurableFileError) in
                try writer.flush(
                    permissions: permissions
                        ?? old.map { FilePermissions(rawValue: CModeT($0.permissions)) } ?? Self.newPermissions,
                    owner: owner ?? old?.owner)
            }
            try root.account.change(in: directory) { ledger throws(SandboxError) in
                let replaced = try replaced(name)
                try ledger.changing { () throws(SandboxError) in
                    try durably { () throws(DurableFileError) in try writer.publish() }
                }
                isOver.withLock { $0 = true }
                if let replaced {
                    ledger.remove(AreaUsage(bytes: replaced.size, files: 0))
                } else {
                    _ = reservation?.take(AreaUsage(bytes: 0, files: 1), from: &ledger)
                    ledger.add(AreaUsage(bytes: 0, files: 1))
                }
            }
        }
        reservation?.release()
        try durably { () throws(DurableFileError) in try writer.flushDirectory() }
    }

    /// Removes the temporary file; does nothing after the commit.
    package func discard() {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        guard !wasOver else { return }
        root.account.update(in: directory) { ledger in
            if writer.discard() {
                ledger.remove(AreaUsage(bytes: count, files: 0))
            } else {
                ledger.isStale = true
            }
        }
        reservation?.release()
    }

    private func replaced(_ name: FileName) throws(SandboxError) -> FileAttributes? {
        let there = try root.replaceable(name, in: directory, path, "write")
        if there != nil, !replacing { throw SandboxError(.exists, "write", area: root.area, path: path.text) }
        return there
    }

    private func extend(
        by size: Int64, _ body: () throws(DurableFileError) -> Int64
    ) throws(SandboxError) -> Int64 {
        try ending { () throws(SandboxError) in
            try root.account.change { ledger throws(SandboxError) in
                let wanted = AreaUsage(bytes: size, files: 0)
                let kept = reservation?.take(wanted, from: &ledger) ?? AreaUsage()
                try ledger.makeSpace(for: wanted - kept, path: path)
                let done = try ledger.changing { () throws(SandboxError) in try durably(body) }
                ledger.add(AreaUsage(bytes: done, files: 0))
                written.withLock { $0 += done }
                return done
            }
        }
    }

    /// Removes the temporary file if a step fails; refuses a step after the end.
    private func ending<Value>(_ body: () throws(SandboxError) -> Value) throws(SandboxError) -> Value {
        if isOver.withLock({ $0 }) { throw SandboxError(.ended, "write", area: root.area, path: path.text) }
        do throws(SandboxError) {
            return try body()
        } catch {
            discard()
            throw error
        }
    }

    private func durably<Value>(_ body: () throws(DurableFileError) -> Value) throws(SandboxError) -> Value {
        do throws(DurableFileError) {
            return try body()
        } catch {
            throw SandboxError(error, "write", area: root.area, path: path)
        }
    }
}
