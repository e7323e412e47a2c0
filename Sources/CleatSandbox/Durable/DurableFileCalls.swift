package import SystemPackage

/// Makes the system calls that a durable write consists of, so that a test can make any of them fail.
///
/// Each call is made once: interrupted and short ones are dealt with by the caller.
package protocol DurableFileCalls: Sendable {
    /// Makes a file that is not there yet, readable and writable by its owner alone, and opens it for writing.
    func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor
    /// Writes some of the bytes, and returns how many.
    func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int
    /// Flushes a file's content (`fdatasync`).
    func flush(_ file: FileDescriptor) throws(Errno)
    /// Gives a file to an owner (`fchown`).
    func setOwner(_ owner: FileOwner, of file: FileDescriptor) throws(Errno)
    /// Sets a file's permissions (`fchmod`).
    func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno)
    /// Closes a file.
    func close(_ file: FileDescriptor) throws(Errno)
    /// Puts a file in the place of another of the same directory (`renameat`).
    func rename(_ name: String, to other: String, in directory: FileDescriptor) throws(Errno)
    /// Flushes a directory (`fsync`).
    func flushDirectory(_ directory: FileDescriptor) throws(Errno)
    /// Takes a file away.
    func remove(_ name: String, in directory: FileDescriptor) throws(Errno)
}
