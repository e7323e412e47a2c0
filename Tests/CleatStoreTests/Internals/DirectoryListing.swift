import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads directories and links.
enum DirectoryListing {
    static func names(_ path: String) throws(Errno) -> [String] {
        guard let directory = unsafe opendir(path) else { throw Errno(rawValue: errno) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    static func mode(_ path: String) throws(Errno) -> UInt32 {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        return UInt32(status.st_mode & 0o7777)
    }

    static func makeLink(_ path: String, to target: String) throws(Errno) {
        guard unsafe symlink(target, path) == 0 else { throw Errno(rawValue: errno) }
    }

    static func makeDirectory(_ path: String) throws(Errno) {
        guard unsafe mkdir(path, 0o700) == 0 else { throw Errno(rawValue: errno) }
    }

    static func setMode(_ path: String, _ mode: UInt32) throws(Errno) {
        guard unsafe chmod(path, mode_t(mode)) == 0 else { throw Errno(rawValue: errno) }
    }

    static func setOwner(_ path: String, _ user: UInt32) throws(Errno) {
        guard unsafe chown(path, uid_t(user), gid_t(user)) == 0 else { throw Errno(rawValue: errno) }
    }

    static func remove(_ path: String) throws(Errno) {
        guard unsafe unlink(path) == 0 else { throw Errno(rawValue: errno) }
    }

    static var isRoot: Bool { geteuid() == 0 }
}
