import SystemPackage

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// System calls that tests need to make hostile files.
enum Files {
    private static func check(_ result: Int32) throws {
        if result != 0 { throw Errno(rawValue: errno) }
    }

    static func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws {
        try check(unsafe mkdir(path, mode_t(mode)))
        try setMode(path, mode)
    }

    static func setMode(_ path: String, _ mode: UInt32) throws {
        try check(unsafe chmod(path, mode_t(mode)))
    }

    static func setOwner(_ path: String, user: UInt32, group: UInt32 = 0) throws {
        try check(unsafe lchown(path, user, group))
    }

    static func makeLink(_ path: String, to destination: String) throws {
        try check(unsafe symlink(destination, path))
    }

    static func makePipe(_ path: String) throws {
        try check(unsafe mkfifo(path, 0o600))
    }

    static func rename(_ path: String, to other: String) throws {
        try check(unsafe renameat(AT_FDCWD, path, AT_FDCWD, other))
    }

    static func remove(_ path: String) throws {
        try check(unsafe unlink(path))
    }
}
