internal import CleatIO
internal import Synchronization
package import SystemPackage

/// Writes a file of an area as a stream: it is seen when it is committed, whole and durable, or never.
///
/// What is written counts towards the quota from the first byte, and the file that is replaced does until then: both are
/// on the disk. A writer that is let go before the commit takes its temporary file away.
package final class FileWriter: Sendable {
    private let root: AreaRoot
    private let path: SandboxPath
    private let directory: Descriptor
    private let writer: DurableWriter
    private let promise: RoomPromise?
    private let permissions: FilePermissions?
    private let owner: FileOwner?
    private let replacing: Bool
    private let written = Mutex<Int64>(0)
    private let isOver = Mutex(false)

    /// Permissions of a file that replaces no other.
    package static let newPermissions: FilePermissions = [.ownerReadWrite, .groupRead]

    /// Begins to write.
    ///
    /// - Parameters:
    ///   - root: the area.
    ///   - path: the file that is to be made or replaced.
    ///   - permissions: those of the file; nil for those of the one that is replaced, or 0640.
    ///   - owner: whom it shall belong to; nil for the owner of the one that is replaced, or the one who writes.
    ///   - promise: room that was kept for it; nil to ask for room with each part.
    ///   - replacing: whether it may replace a file that is there by then.
    /// - Throws: why it cannot be written there.
    init(
        root: AreaRoot, path: SandboxPath, permissions: FilePermissions?, owner: FileOwner?, promise: RoomPromise?,
        replacing: Bool = true
    ) throws(SandboxError) {
        let (directory, name) = try root.place(of: path, "write")
        let replaced = try root.replaceable(name, in: directory, path, "write")
        if promise == nil, replaced == nil {
            self.promise = try root.account.promise(bytes: 0, files: 1)
        } else {
            self.promise = promise
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

    /// How many bytes were written.
    package var count: Int64 { written.withLock { $0 } }

    /// Writes all of the bytes after those that were written before.
    ///
    /// - Throws: `quotaBytes`, or why not all could be written; the temporary file is gone then.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SandboxError) {
        let size = Int64(bytes.count)
        _ = try extend(by: size) { () throws(DurableFileError) in
            try unsafe writer.write(bytes)
            return size
        }
    }

    /// Writes all of the bytes after those that were written before.
    package func write(_ bytes: [UInt8]) throws(SandboxError) {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(SandboxError) in try unsafe write(bytes) }
        }
        try result.get()
    }

    /// Has `body` write to the temporary file, at most `size` bytes, and say how many it wrote.
    func fill(
        upTo size: Int64, _ body: (FileDescriptor) throws(Errno) -> Int64
    ) throws(SandboxError) -> Int64 {
        try extend(by: size) { () throws(DurableFileError) in try writer.withFile(body) }
    }

    /// Puts the file in its place.
    ///
    /// - Throws: why not; the old file is whole then, but where only the flush of the directory failed.
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
                    _ = promise?.take(AreaUsage(bytes: 0, files: 1), from: &ledger)
                    ledger.add(AreaUsage(bytes: 0, files: 1))
                }
            }
        }
        promise?.release()
        try durably { () throws(DurableFileError) in try writer.flushDirectory() }
    }

    /// Takes the temporary file away; does nothing after the commit.
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
        promise?.release()
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
                let kept = promise?.take(wanted, from: &ledger) ?? AreaUsage()
                try ledger.makeRoom(for: wanted - kept, path: path)
                let done = try ledger.changing { () throws(SandboxError) in try durably(body) }
                ledger.add(AreaUsage(bytes: done, files: 0))
                written.withLock { $0 += done }
                return done
            }
        }
    }

    /// Takes the temporary file away where a step fails.
    private func ending<Value>(_ body: () throws(SandboxError) -> Value) throws(SandboxError) -> Value {
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
