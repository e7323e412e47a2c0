import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Directory calls that swift-system does not have.
enum FileMoves {
    /// Renames a file over another one. rename(2)
    static func rename(_ path: FilePath, to target: FilePath) throws(Errno) {
        try check(
            unsafe path.withPlatformString { path in
                unsafe target.withPlatformString { target in
                    #if canImport(Glibc)
                        unsafe Glibc.rename(path, target)
                    #else
                        unsafe Musl.rename(path, target)
                    #endif
                }
            })
    }

    /// Removes a file, if there is one. unlink(2)
    static func remove(_ path: FilePath) {
        _ = unsafe path.withPlatformString { unsafe unlink($0) }
    }

    /// Returns the reason why a directory is not safe, because other users could replace its contents; nil if it is
    /// safe.
    ///
    /// If `sticky` is set, a directory such as `/tmp` is accepted, in which all users may create files, but not remove
    /// those of others.
    static func distrust(_ path: FilePath, sticky: Bool) -> String? {
        var status = stat()
        guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
        if status.st_uid != 0, status.st_uid != geteuid() { return "belongs to user \(status.st_uid)" }
        if sticky, status.st_mode & S_ISVTX != 0 { return nil }
        if status.st_mode & S_IWOTH != 0 { return "can be written by everyone" }
        if status.st_mode & S_IWGRP != 0, status.st_gid != 0, status.st_gid != getegid() {
            return "can be written by group \(status.st_gid)"
        }
        return nil
    }

    /// Returns the first symbolic link on the path from a directory to a path below it; nil if there is none, or if the
    /// path is not below it.
    static func link(below root: FilePath, on path: FilePath) -> FilePath? {
        guard path.starts(with: root) else { return nil }
        var partial = root
        for component in path.components.dropFirst(root.components.count) {
            partial.append(component)
            var status = stat()
            guard unsafe partial.withPlatformString({ unsafe lstat($0, &status) }) == 0 else { return nil }
            if status.st_mode & S_IFMT == S_IFLNK { return partial }
        }
        return nil
    }

    /// Returns the number of the device that a file is on; nil if it is not there. stat(2)
    static func device(of path: FilePath) -> UInt64? {
        var status = stat()
        guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
        return UInt64(status.st_dev)
    }

    /// Returns the numbers of the block device that a file is on; nil if it is not there. stat(2), makedev(3)
    static func deviceNumbers(of path: FilePath) -> (major: UInt64, minor: UInt64)? {
        device(of: path).map { device in
            let low = UInt64(UInt32(truncatingIfNeeded: device >> 12)) & ~0xFF
            return (device >> 32 & ~0xFFF | device >> 8 & 0xFFF, low | device & 0xFF)
        }
    }

    /// Returns the id of the file system that a file is on; nil if it is not there. statvfs(3)
    static func fileSystem(of path: FilePath) -> UInt? {
        var status = statvfs()
        guard unsafe path.withPlatformString({ unsafe statvfs($0, &status) }) == 0 else { return nil }
        return UInt(status.f_fsid)
    }

    /// Returns true if a file is on a file system that is mounted read-only; if it is not there, the directory above it
    /// counts. statvfs(3)
    static func isReadOnly(_ path: FilePath) -> Bool {
        var (path, status) = (path, statvfs())
        while unsafe path.withPlatformString({ unsafe statvfs($0, &status) }) != 0 {
            guard path.removeLastComponent() else { return false }
        }
        return UInt(status.f_flag) & UInt(ST_RDONLY) != 0
    }

    /// Returns the path in a symbolic link; nil if there is no link. readlink(2)
    static func target(ofLink path: FilePath) -> FilePath? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe path.withPlatformString { path in
            unsafe bytes.withUnsafeMutableBytes { buffer in
                guard let start = buffer.baseAddress else { return -1 }
                return unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
            }
        }
        return count > 0 ? FilePath(String(decoding: bytes.prefix(count), as: UTF8.self)) : nil
    }

    /// Creates a directory and its missing parents; an existing one stays as it is. mkdir(2)
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - mode: The mode of the last directory; its parents get 0755.
    /// - Throws: The error of mkdir(2), or `ENOTDIR` if a file is in the way.
    static func makeDirectories(_ path: FilePath, mode: UInt32) throws(Errno) {
        var partial = FilePath("/")
        let components = Array(path.components)
        for (index, component) in components.enumerated() {
            partial.append(component)
            let result = unsafe partial.withPlatformString { text in
                unsafe mkdir(text, mode_t(index == components.count - 1 ? mode : 0o755))
            }
            guard result != 0 else { continue }
            let error = Errno(rawValue: errno)
            guard error == .fileExists || (isDirectory(partial) && index < components.count - 1) else { throw error }
        }
        if !isDirectory(path) { throw .notDirectory }
    }

    /// Returns true if a file of any type exists at a path. access(2)
    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Returns true if a path leads to a directory. stat(2)
    static func isDirectory(_ path: FilePath) -> Bool {
        var status = stat()
        return unsafe path.withPlatformString { unsafe stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func check(_ result: Int32) throws(Errno) {
        if result != 0 { throw Errno(rawValue: errno) }
    }
}
