internal import CLinux
internal import SystemPackage

/// Makes and opens the directory of an area, by a path from the configuration.
enum AreaDirectory {
    /// Opens the directory; a missing directory is made (0750), and so are its missing parents (0755).
    static func open(_ directory: FilePath) throws(Errno) -> FileDescriptor {
        var opened = unsafe clinux_store_open_directory(directory.string)
        if opened == -Errno.noSuchFileOrDirectory.rawValue {
            try make(directory, permissions: 0o750)
            opened = unsafe clinux_store_open_directory(directory.string)
            // The process that made the parent directories may not have flushed them.
            if opened >= 0 { clinux_store_fsync_above(opened) }
        }
        return FileDescriptor(rawValue: try SystemFileCalls.check(opened))
    }

    private static func make(_ directory: FilePath, permissions: UInt32) throws(Errno) {
        var result = unsafe clinux_store_make_directory(directory.string, permissions)
        let parent = directory.removingLastComponent()
        if result == -Errno.noSuchFileOrDirectory.rawValue, !parent.isEmpty, parent != directory {
            try make(parent, permissions: 0o755)
            result = unsafe clinux_store_make_directory(directory.string, permissions)
        }
        if result != -Errno.fileExists.rawValue { try SystemFileCalls.check(result) }
    }
}
