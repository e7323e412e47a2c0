package import SystemPackage

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
