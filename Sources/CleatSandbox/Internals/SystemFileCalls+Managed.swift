internal import CLinux
package import SystemPackage

extension SystemFileCalls: ManagedFileCalls {
    /// Opens a directory, with `root` for `/`.
    package func open(directory path: String, inRoot root: FileDescriptor) throws(Errno) -> FileDescriptor {
        let result = unsafe path.withCString { unsafe clinux_managed_open_in_root(root.rawValue, $0) }
        return FileDescriptor(rawValue: try Self.check(result))
    }

    /// Reads what a link stands for.
    package func readLink(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> String {
        var buffer = [UInt8](repeating: 0, count: RootResolver.pathLimit + 1)
        let result = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe name.withCString {
                unsafe clinux_managed_read_link(
                    directory.rawValue, $0, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            }
        }
        let count = try Self.count(result)
        guard count < buffer.count else { throw .fileNameTooLong }
        guard let text = String(validating: buffer[..<count], as: UTF8.self) else { throw .illegalByteSequence }
        return text
    }

    /// Says whether something is mounted on a name.
    package func isMountPoint(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> Bool {
        let result = unsafe name.withCString { unsafe clinux_managed_is_mount_point(directory.rawValue, $0) }
        return try Self.check(result) == 1
    }
}
