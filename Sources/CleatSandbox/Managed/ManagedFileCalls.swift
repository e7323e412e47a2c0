package import SystemPackage

/// The system calls for managed files besides those of the facade, so that a test can make any of them fail.
package protocol ManagedFileCalls: SandboxCalls {
    /// Opens a directory relative to `root` as `/` (`openat2` with `RESOLVE_IN_ROOT` and `RESOLVE_NO_SYMLINKS`).
    ///
    /// No `..` leads out of the root; a link in the path is `tooManySymbolicLinkLevels`.
    func open(directory path: String, inRoot root: FileDescriptor) throws(Errno) -> FileDescriptor
    /// Reads the target of a link (`readlinkat`); `invalidArgument` if the name is not that of a link.
    ///
    /// An empty name means the link that `directory` itself was opened on, with `O_PATH`.
    func readLink(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> String
    /// Makes a new symbolic link (`symlinkat`).
    func makeLink(to target: String, _ name: String, in directory: FileDescriptor) throws(Errno)
    /// Sets the owner of a link itself (`fchownat` with `AT_SYMLINK_NOFOLLOW`).
    func setOwner(_ owner: FileOwner, ofLink name: String, in directory: FileDescriptor) throws(Errno)
    /// Returns true if something is mounted on a name (`statx`, or a comparison of mount IDs on older kernels).
    func isMountPoint(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> Bool
    /// Lists the names of a file's extended attributes (`flistxattr`); `notSupported` if its file system has none.
    func attributeNames(of file: FileDescriptor) throws(Errno) -> [FileName]
    /// Reads an extended attribute (`fgetxattr`); `noData` if it does not exist.
    func attribute(_ name: FileName, of file: FileDescriptor) throws(Errno) -> [UInt8]
    /// Sets an extended attribute (`fsetxattr`).
    func setAttribute(_ attribute: ExtendedAttribute, of file: FileDescriptor) throws(Errno)
    /// Removes an extended attribute (`fremovexattr`).
    func removeAttribute(_ name: FileName, of file: FileDescriptor) throws(Errno)
}
