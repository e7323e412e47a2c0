internal import CLinux
internal import SystemPackage

/// Makes and opens the directory of an area, by a path that the configuration gives.
enum AreaDirectory {
    /// Opens the directory, after making it (0750), and those above it (0755), where they are missing.
    static func open(_ directory: FilePath) throws(Errno) -> FileDescriptor {
        var opened = unsafe clinux_store_open_directory(directory.string)
        if opened == -Errno.noSuchFileOrDirectory.rawValue {
            try make(directory, permissions: 0o750)
            opened = unsafe clinux_store_open_directory(directory.string)
            // Whoever made the directories above need not have flushed them.
            if opened >= 0 { clinux_store_fsync_above(opened) }
        }
        return FileDescriptor(rawValue: try SystemFileCalls.check(opened))
    }

    /// Opens the directory once more through a mount of its own that is read only and refuses devices.
    ///
    /// A device that stands in the area is then refused by the kernel before its driver hears of it. Needs Linux 5.12
    /// and CAP_SYS_ADMIN; nil where it cannot be had.
    static func privateMount(of directory: FileDescriptor) -> FileDescriptor? {
        let opened = clinux_sandbox_private_mount(directory.rawValue)
        return opened >= 0 ? FileDescriptor(rawValue: opened) : nil
    }

    /// Whether the mount that the directory is on refuses devices already.
    static func refusesDevices(_ directory: FileDescriptor) -> Bool {
        clinux_sandbox_refuses_devices(directory.rawValue) == 1
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
