package import SystemPackage

/// Says what something is opened for.
package enum OpenPurpose: Int32, Sendable, Hashable, CaseIterable {
    /// To be looked at only (`O_PATH`): a device or a FIFO notices nothing.
    case look = 0
    /// A directory, to pass through it (`O_PATH`).
    case pass = 1
    /// A directory, to list it and to flush it.
    case list = 2
    /// For reading; never waits for a FIFO's other end.
    case read = 3
    /// For reading, and for writing at the end.
    case append = 4
}

/// How much room a file system has.
package struct FileSystemSpace: Sendable, Hashable {
    /// All of its bytes.
    package var total: Int64
    /// The bytes that this process may still use.
    package var available: Int64
    /// The files that may still be made; 0 where the file system does not count them.
    package var files: Int64
    /// Whether it cannot be written to.
    package var isReadOnly: Bool

    /// Takes all of it.
    package init(total: Int64, available: Int64, files: Int64, isReadOnly: Bool) {
        self.total = total
        self.available = available
        self.files = files
        self.isReadOnly = isReadOnly
    }
}

/// Makes the system calls of the facade, so that a test can make any of them fail.
///
/// Each call is made once: interrupted and short ones are dealt with by the caller. No call follows a link in the name
/// that it is given.
package protocol SandboxCalls: DurableFileCalls {
    /// Opens a path beneath a directory through no link and onto no other mount (`openat2`).
    func open(_ path: String, beneath directory: FileDescriptor, for purpose: OpenPurpose) throws(Errno)
        -> FileDescriptor
    /// Opens one name of a directory (`openat` with `O_NOFOLLOW`).
    func open(_ name: FileName, in directory: FileDescriptor, for purpose: OpenPurpose) throws(Errno) -> FileDescriptor
    /// Opens what was opened to be looked at (`/proc/self/fd`); `noSuchFileOrDirectory` where there is no /proc.
    func reopen(_ file: FileDescriptor, for purpose: OpenPurpose) throws(Errno) -> FileDescriptor
    /// Looks at something open (`fstat`).
    func attributes(of file: FileDescriptor) throws(Errno) -> FileAttributes
    /// Looks at a name of a directory (`fstatat`).
    func attributes(of name: FileName, in directory: FileDescriptor) throws(Errno) -> FileAttributes
    /// Says whether this process may read or write it (`faccessat2`); throws the reason where not.
    func checkAccess(to name: FileName, in directory: FileDescriptor, writing: Bool) throws(Errno)
    /// Reads from a place in a file (`pread`).
    func read(into buffer: UnsafeMutableRawBufferPointer, from file: FileDescriptor, at offset: Int64) throws(Errno)
        -> Int
    /// Has the device begin to write a part of a file, and waits for the part up to `waitingUntil` (`sync_file_range`).
    ///
    /// Does nothing where the file system cannot.
    func writeBack(_ file: FileDescriptor, from: Int64, to: Int64, waitingUntil: Int64) throws(Errno)
    /// Sets a file's length (`ftruncate`).
    func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno)
    /// Gives a file another name or directory (`renameat`), never over another one where `exclusive` (`renameat2`).
    func rename(
        _ name: FileName, in directory: FileDescriptor, to other: FileName, in target: FileDescriptor, exclusive: Bool
    ) throws(Errno)
    /// Makes a directory (`mkdirat`).
    func makeDirectory(_ name: FileName, in directory: FileDescriptor, permissions: FilePermissions) throws(Errno)
    /// Takes an empty directory away (`unlinkat`).
    func removeDirectory(_ name: FileName, in directory: FileDescriptor) throws(Errno)
    /// Takes a file away, or whatever else is no directory (`unlinkat`).
    func removeFile(_ name: FileName, in directory: FileDescriptor) throws(Errno)
    /// Lists the names in a directory, without `.` and `..`, until `each` returns false.
    func names(in directory: FileDescriptor, _ each: (FileName) -> Bool) throws(Errno)
    /// Has a file share the blocks of another (`FICLONE`).
    func clone(_ file: FileDescriptor, to other: FileDescriptor) throws(Errno)
    /// Copies within the kernel from a place in a file to the end of another (`copy_file_range`).
    func copy(_ file: FileDescriptor, at offset: Int64, to other: FileDescriptor, count: Int) throws(Errno) -> Int
    /// Asks for the room on a file system (`fstatvfs`).
    func space(on file: FileDescriptor) throws(Errno) -> FileSystemSpace
}
