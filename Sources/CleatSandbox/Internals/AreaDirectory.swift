internal import CLinux
internal import SystemPackage

/// Makes and opens the directory of an area, by a path from the configuration.
enum AreaDirectory {
    /// Opens the directory; a missing directory is made (0750), and so are its missing parents (0755).
    ///
    /// A link in its place is followed unless `followsLink` is false.
    static func open(_ directory: FilePath, followsLink: Bool = true) throws(Errno) -> FileDescriptor {
        guard followsLink else { return try openItself(directory) }
        var opened = unsafe clinux_store_open_directory(directory.string)
        if opened == -Errno.noSuchFileOrDirectory.rawValue {
            try make(directory, permissions: 0o750)
            opened = unsafe clinux_store_open_directory(directory.string)
            // The process that made the parent directories may not have flushed them.
            if opened >= 0 { clinux_store_fsync_above(opened) }
        }
        return FileDescriptor(rawValue: try SystemFileCalls.check(opened))
    }

    private static func openItself(_ directory: FilePath) throws(Errno) -> FileDescriptor {
        // AT_FDCWD
        let (calls, name, current) = (SystemFileCalls(), FileName(directory.string), FileDescriptor(rawValue: -100))
        do throws(Errno) {
            return try calls.open(name, in: current, for: .list)
        } catch {
            switch error {
            case .noSuchFileOrDirectory:
                try calls.close(open(directory))
                return try calls.open(name, in: current, for: .list)
            case .notDirectory where (try? calls.attributes(of: name, in: current))?.type == .symbolicLink:
                throw .tooManySymbolicLinkLevels
            default: throw error
            }
        }
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
