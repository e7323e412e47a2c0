package import SystemPackage

/// Makes the system calls that managed files need besides those of the facade, so that a test can make any of them fail.
package protocol ManagedFileCalls: SandboxCalls {
    /// Opens a directory, with `root` for `/` (`openat2` with `RESOLVE_IN_ROOT` and `RESOLVE_NO_SYMLINKS`).
    ///
    /// No `..` leads out of the root; a link on the way is `tooManySymbolicLinkLevels`.
    func open(directory path: String, inRoot root: FileDescriptor) throws(Errno) -> FileDescriptor
    /// Reads what a link stands for (`readlinkat`); `invalidArgument` where the name is not that of a link.
    ///
    /// An empty name is the link itself that `directory` was opened on, to look at it.
    func readLink(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> String
    /// Makes a symbolic link that is not there yet (`symlinkat`).
    func makeLink(to target: String, _ name: String, in directory: FileDescriptor) throws(Errno)
    /// Gives a link itself to an owner (`fchownat` with `AT_SYMLINK_NOFOLLOW`).
    func setOwner(_ owner: FileOwner, ofLink name: String, in directory: FileDescriptor) throws(Errno)
    /// Says whether something is mounted on a name (`statx`, or the mounts of both where the kernel does not tell).
    func isMountPoint(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> Bool
    /// Lists the names of a file's extended attributes (`flistxattr`); `notSupported` where its file system has none.
    func attributeNames(of file: FileDescriptor) throws(Errno) -> [FileName]
    /// Reads an extended attribute (`fgetxattr`); `noData` where it is not there.
    func attribute(_ name: FileName, of file: FileDescriptor) throws(Errno) -> [UInt8]
    /// Sets an extended attribute (`fsetxattr`).
    func setAttribute(_ attribute: ExtendedAttribute, of file: FileDescriptor) throws(Errno)
    /// Takes an extended attribute away (`fremovexattr`).
    func removeAttribute(_ name: FileName, of file: FileDescriptor) throws(Errno)
}
