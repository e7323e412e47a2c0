internal import CLinux
package import SystemPackage

extension SystemFileCalls: SandboxCalls {
    /// Opens a path beneath a directory without following links or crossing into other mounts.
    package func open(
        _ path: String, beneath directory: FileDescriptor, for purpose: OpenPurpose
    ) throws(Errno) -> FileDescriptor {
        let result = unsafe path.withCString {
            unsafe clinux_sandbox_open_beneath(directory.rawValue, $0, purpose.rawValue)
        }
        return FileDescriptor(rawValue: try Self.check(result))
    }

    /// Opens a name in a directory.
    package func open(
        _ name: FileName, in directory: FileDescriptor, for purpose: OpenPurpose
    ) throws(Errno) -> FileDescriptor {
        let result = unsafe name.withCString {
            unsafe clinux_sandbox_open_name(directory.rawValue, $0, purpose.rawValue)
        }
        return FileDescriptor(rawValue: try Self.check(result))
    }

    /// Opens a file again that was opened with `O_PATH`.
    package func reopen(_ file: FileDescriptor, for purpose: OpenPurpose) throws(Errno) -> FileDescriptor {
        let result = clinux_sandbox_reopen(Self.ownDescriptors, file.rawValue, purpose.rawValue)
        return FileDescriptor(rawValue: try Self.check(result))
    }

    /// The directory of the process's own descriptors, opened at the first use.
    ///
    /// Resolving its path costs a microsecond each time. In a forked child it would be the parent's, but no child works
    /// with files before it executes another program.
    private static let ownDescriptors = clinux_sandbox_own_descriptors()

    /// Returns the attributes of an open file.
    package func attributes(of file: FileDescriptor) throws(Errno) -> FileAttributes {
        var status = clinux_sandbox_status()
        try Self.check(unsafe clinux_sandbox_status(file.rawValue, &status))
        return FileAttributes(status)
    }

    /// Returns the attributes of a name in a directory.
    package func attributes(of name: FileName, in directory: FileDescriptor) throws(Errno) -> FileAttributes {
        var status = clinux_sandbox_status()
        let result = unsafe name.withCString {
            unsafe clinux_sandbox_status_at(directory.rawValue, $0, &status)
        }
        try Self.check(result)
        return FileAttributes(status)
    }

    /// Checks that this process may read or write a file.
    package func checkAccess(to name: FileName, in directory: FileDescriptor, writing: Bool) throws(Errno) {
        let result = unsafe name.withCString {
            unsafe clinux_sandbox_may(directory.rawValue, $0, writing ? 1 : 0)
        }
        try Self.check(result)
    }

    /// Sets the permissions of a file that was opened with `O_PATH`.
    package func setPermissions(_ permissions: FilePermissions, ofInspected file: FileDescriptor) throws(Errno) {
        try Self.check(
            clinux_sandbox_change_mode(Self.ownDescriptors, file.rawValue, UInt32(permissions.rawValue)))
    }

    /// Returns the path of an open file.
    package func path(of file: FileDescriptor) throws(Errno) -> String {
        guard Self.ownDescriptors >= 0 else { throw .notSupported }
        var length = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            length = unsafe clinux_read_link(
                Self.ownDescriptors, "\(file.rawValue)", buffer.baseAddress, buffer.count)
            count = max(0, length)
        }
        guard try Self.count(length) < 4096 else { throw .fileNameTooLong }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads from an offset in a file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: FileDescriptor, at offset: Int64
    ) throws(Errno) -> Int {
        let count = unsafe clinux_store_read_at(file.rawValue, buffer.baseAddress, buffer.count, offset)
        return try Self.count(count)
    }

    /// Starts to write a part of a file to the device, and waits for the part up to `waitingUntil`.
    package func writeBack(_ file: FileDescriptor, from: Int64, to: Int64, waitingUntil: Int64) throws(Errno) {
        try Self.check(clinux_managed_write_back(file.rawValue, from, to - from, from, waitingUntil - from))
    }

    /// Sets a file's length.
    package func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
        try Self.check(clinux_sandbox_truncate(file.rawValue, size))
    }

    /// Locks an open file against other holders of such a lock; throws `EWOULDBLOCK` if there is one. flock(2)
    package func lock(_ file: FileDescriptor) throws(Errno) { try Self.check(clinux_sandbox_lock(file.rawValue)) }

    /// Renames a file, within its directory or to another one.
    package func rename(
        _ name: FileName, in directory: FileDescriptor, to other: FileName, in target: FileDescriptor, exclusive: Bool
    ) throws(Errno) {
        let result = unsafe name.withCString { from in
            unsafe other.withCString { to in
                unsafe clinux_sandbox_rename(directory.rawValue, from, target.rawValue, to, exclusive ? 1 : 0)
            }
        }
        try Self.check(result)
    }

    /// Makes a directory.
    package func makeDirectory(
        _ name: FileName, in directory: FileDescriptor, permissions: FilePermissions
    ) throws(Errno) {
        let result = unsafe name.withCString {
            unsafe clinux_sandbox_make_directory(directory.rawValue, $0, UInt32(permissions.rawValue))
        }
        try Self.check(result)
    }

    /// Removes an empty directory.
    package func removeDirectory(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        let result = unsafe name.withCString { unsafe clinux_sandbox_remove_directory(directory.rawValue, $0) }
        try Self.check(result)
    }

    /// Removes a file or any other entry that is not a directory.
    package func removeFile(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        let result = unsafe name.withCString { unsafe clinux_store_unlink(directory.rawValue, $0) }
        try Self.check(result)
    }

    /// Lists the names in a directory, without `.` and `..`, until `each` returns false.
    package func names(in directory: FileDescriptor, _ each: (FileName) -> Bool) throws(Errno) {
        var opened: OpaquePointer?
        try Self.check(unsafe clinux_sandbox_list_open(directory.rawValue, &opened))
        guard let listing = unsafe opened else { return }
        defer { unsafe clinux_sandbox_list_close(listing) }
        var name: UnsafePointer<CChar>?
        while try Self.check(unsafe clinux_sandbox_list_next(listing, &name)) > 0, let found = unsafe name {
            guard each(unsafe FileName(cString: found)) else { return }
        }
    }

    /// Makes a file share the blocks of another.
    package func clone(_ file: FileDescriptor, to other: FileDescriptor) throws(Errno) {
        try Self.check(clinux_sandbox_clone(file.rawValue, other.rawValue))
    }

    /// Copies within the kernel from an offset in a file to the end of another.
    package func copy(
        _ file: FileDescriptor, at offset: Int64, to other: FileDescriptor, count: Int
    ) throws(Errno) -> Int {
        try Self.count(clinux_sandbox_copy(file.rawValue, offset, other.rawValue, count))
    }

    /// Returns the space of a file system.
    package func space(on file: FileDescriptor) throws(Errno) -> FileSystemSpace {
        var space = clinux_sandbox_space()
        try Self.check(unsafe clinux_sandbox_space(file.rawValue, &space))
        return FileSystemSpace(
            total: Int64(clamping: space.total), available: Int64(clamping: space.available),
            files: space.files_total == 0 ? 0 : Int64(clamping: space.files_available),
            isReadOnly: space.read_only != 0)
    }

    static func count(_ result: Int) throws(Errno) -> Int {
        guard result >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: 0 &- result)) }
        return result
    }
}

extension FileName {
    init(cString: UnsafePointer<CChar>) {
        var bytes: [UInt8] = []
        var next = unsafe cString
        while unsafe next.pointee != 0 {
            unsafe bytes.append(UInt8(bitPattern: next.pointee))
            unsafe next += 1
        }
        self.init(bytes: bytes)
    }

    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe body(terminated.map { CChar(bitPattern: $0) })
    }
}

extension FileAttributes {
    init(_ status: clinux_sandbox_status) {
        self.init(
            type: FileKind(kind: status.kind), size: status.size,
            permissions: UInt16(truncatingIfNeeded: status.permissions),
            owner: FileOwner(user: status.user, group: status.group),
            modified: FileTime(seconds: status.modified_seconds, nanoseconds: status.modified_nanoseconds),
            changed: FileTime(seconds: status.changed_seconds, nanoseconds: status.changed_nanoseconds),
            links: status.links, identity: FileIdentity(device: status.device, inode: status.inode))
    }
}

extension FileKind {
    fileprivate init(kind: UInt32) {
        switch Int(kind) {
        case CLINUX_SANDBOX_REGULAR: self = .regular
        case CLINUX_SANDBOX_DIRECTORY: self = .directory
        case CLINUX_SANDBOX_LINK: self = .symbolicLink
        case CLINUX_SANDBOX_FIFO: self = .fifo
        case CLINUX_SANDBOX_SOCKET: self = .socket
        case CLINUX_SANDBOX_CHARACTER: self = .characterDevice
        case CLINUX_SANDBOX_BLOCK: self = .blockDevice
        default: self = .other
        }
    }
}
