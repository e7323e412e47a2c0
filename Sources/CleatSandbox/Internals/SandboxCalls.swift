package import SystemPackage

/// The purpose of opening a file.
package enum OpenPurpose: Int32, Sendable, Hashable, CaseIterable {
    /// For reading its attributes only (`O_PATH`): a device or a FIFO is not opened.
    case inspect = 0
    /// A directory, to pass through it (`O_PATH`).
    case pass = 1
    /// A directory, to list and flush it.
    case list = 2
    /// For reading; does not wait for a FIFO's writer.
    case read = 3
    /// For reading, and for appending.
    case append = 4
}

/// The space of a file system.
package struct FileSystemSpace: Sendable, Equatable {
    /// The total size in bytes.
    package var total: Int64
    /// The bytes that this process may still use.
    package var available: Int64
    /// The files that may still be made; 0 if the file system does not count them.
    package var files: Int64
    /// True if the file system is read-only.
    package var isReadOnly: Bool

    /// Makes a value from its fields.
    package init(total: Int64, available: Int64, files: Int64, isReadOnly: Bool) {
        self.total = total
        self.available = available
        self.files = files
        self.isReadOnly = isReadOnly
    }
}

/// The system calls of the facade, so that a test can make any of them fail.
///
/// Each call is made once: the caller handles interrupted and short calls. No call follows a link in the name that it
/// is given.
package protocol SandboxCalls: DurableFileCalls {
    /// Opens a path beneath a directory without following links or crossing into other mounts (`openat2`).
    func open(_ path: String, beneath directory: FileDescriptor, for purpose: OpenPurpose) throws(Errno)
        -> FileDescriptor
    /// Opens a name in a directory (`openat` with `O_NOFOLLOW`).
    func open(_ name: FileName, in directory: FileDescriptor, for purpose: OpenPurpose) throws(Errno) -> FileDescriptor
    /// Opens a file again that was opened with `O_PATH` (`/proc/self/fd`); `noSuchFileOrDirectory` without /proc.
    func reopen(_ file: FileDescriptor, for purpose: OpenPurpose) throws(Errno) -> FileDescriptor
    /// Returns the attributes of an open file (`fstat`).
    func attributes(of file: FileDescriptor) throws(Errno) -> FileAttributes
    /// Returns the attributes of a name in a directory (`fstatat`).
    func attributes(of name: FileName, in directory: FileDescriptor) throws(Errno) -> FileAttributes
    /// Checks that this process may read or write a file (`faccessat2`); throws the error if not.
    func checkAccess(to name: FileName, in directory: FileDescriptor, writing: Bool) throws(Errno)
    /// Sets the permissions of a file that was opened with `O_PATH` (`fchmodat` through `/proc/self/fd`).
    func setPermissions(_ permissions: FilePermissions, ofInspected file: FileDescriptor) throws(Errno)
    /// Returns the path of an open file (`/proc/self/fd`).
    func path(of file: FileDescriptor) throws(Errno) -> String
    /// Reads from an offset in a file (`pread`).
    func read(into buffer: UnsafeMutableRawBufferPointer, from file: FileDescriptor, at offset: Int64) throws(Errno)
        -> Int
    /// Starts to write a part of a file to the device, and waits for the part up to `waitingUntil` (`sync_file_range`).
    ///
    /// Does nothing if the file system does not support it.
    func writeBack(_ file: FileDescriptor, from: Int64, to: Int64, waitingUntil: Int64) throws(Errno)
    /// Sets a file's length (`ftruncate`).
    func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno)
    /// Renames a file, within its directory or to another one (`renameat`), never over another file if `exclusive`
    /// (`renameat2`).
    func rename(
        _ name: FileName, in directory: FileDescriptor, to other: FileName, in target: FileDescriptor, exclusive: Bool
    ) throws(Errno)
    /// Makes a directory (`mkdirat`).
    func makeDirectory(_ name: FileName, in directory: FileDescriptor, permissions: FilePermissions) throws(Errno)
    /// Removes an empty directory (`unlinkat`).
    func removeDirectory(_ name: FileName, in directory: FileDescriptor) throws(Errno)
    /// Removes a file or any other entry that is not a directory (`unlinkat`).
    func removeFile(_ name: FileName, in directory: FileDescriptor) throws(Errno)
    /// Lists the names in a directory, without `.` and `..`, until `each` returns false.
    func names(in directory: FileDescriptor, _ each: (FileName) -> Bool) throws(Errno)
    /// Makes a file share the blocks of another (`FICLONE`).
    func clone(_ file: FileDescriptor, to other: FileDescriptor) throws(Errno)
    /// Copies within the kernel from an offset in a file to the end of another (`copy_file_range`).
    func copy(_ file: FileDescriptor, at offset: Int64, to other: FileDescriptor, count: Int) throws(Errno) -> Int
    /// Returns the space of a file system (`fstatvfs`).
    func space(on file: FileDescriptor) throws(Errno) -> FileSystemSpace
}

extension SandboxCalls {
    /// Writes all of the bytes, in as many calls as needed.
    ///
    /// - Throws: The system's error; a part of the bytes may be written then. A call that writes nothing is `EIO`.
    func writeAll(_ bytes: [UInt8], to file: FileDescriptor) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let start = done
            let written = try repeated { () throws(Errno) -> Int in
                let result = unsafe bytes.withUnsafeBytes { all in
                    Result { () throws(Errno) in
                        try unsafe write(UnsafeRawBufferPointer(rebasing: all[start...]), to: file)
                    }
                }
                return try result.get()
            }
            guard written > 0 else { throw .ioError }
            done += written
        }
    }

    /// Reads a file to its end, but no more than a number of bytes.
    func readAll(of file: FileDescriptor, upTo limit: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            do throws(Errno) {
                while filled < buffer.count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(
                        UnsafeMutableBufferPointer(rebasing: buffer[filled...]))
                    let start = Int64(filled)
                    let count = try repeated { () throws(Errno) in
                        try unsafe read(into: rest, from: file, at: start)
                    }
                    if count == 0 { break }
                    filled += count
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

/// The system calls of a durable write, so that a test can make any of them fail.
///
/// Each call is made once: the caller handles interrupted and short calls.
package protocol DurableFileCalls: Sendable {
    /// Creates a new file, readable and writable by its owner alone, and opens it for writing.
    func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor
    /// Writes some of the bytes and returns their number.
    func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int
    /// Flushes a file's content (`fdatasync`).
    func flush(_ file: FileDescriptor) throws(Errno)
    /// Sets a file's owner (`fchown`).
    func setOwner(_ owner: FileOwner, of file: FileDescriptor) throws(Errno)
    /// Sets a file's permissions (`fchmod`).
    func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno)
    /// Closes a file.
    func close(_ file: FileDescriptor) throws(Errno)
    /// Renames a file over another in the same directory (`renameat`).
    func rename(_ name: String, to other: String, in directory: FileDescriptor) throws(Errno)
    /// Flushes a directory (`fsync`).
    func flushDirectory(_ directory: FileDescriptor) throws(Errno)
    /// Removes a file (`unlinkat`).
    func remove(_ name: String, in directory: FileDescriptor) throws(Errno)
}
