import CleatTestSupport
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Changes files as other programs do, without the tested code.
enum RawFiles {
    static var isRoot: Bool { geteuid() == 0 }

    private static func check(_ result: Int32) throws(Errno) {
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    static func link(_ path: String, to target: String) throws(Errno) { try check(unsafe symlink(target, path)) }
    static func hardLink(_ path: String, to target: String) throws(Errno) {
        try check(unsafe makeHardLink(target, path))
    }
    static func fifo(_ path: String) throws(Errno) { try check(unsafe mkfifo(path, 0o600)) }
    /// Makes a node of a device that no driver has.
    static func device(_ path: String) throws(Errno) {
        try check(unsafe mknod(path, S_IFCHR | 0o600, dev_t(0xFFE << 8)))
    }
    static func move(_ path: String, to other: String) throws(Errno) { try check(unsafe rename(path, other)) }
    static func setMode(_ mode: UInt32, of path: String) throws(Errno) { try check(unsafe chmod(path, mode_t(mode))) }
    static func give(_ path: String, to user: UInt32) throws(Errno) { try check(unsafe chown(path, user, user)) }
    static func removeDirectory(_ path: String) throws(Errno) { try check(unsafe rmdir(path)) }

    /// Makes an empty file whose name need not be UTF-8.
    static func make(_ name: [UInt8], in directory: String) throws(Errno) {
        let path = (Array(directory.utf8) + [UInt8(ascii: "/")] + name + [0]).map { CChar(bitPattern: $0) }
        let file = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Errno(rawValue: errno) }
        close(file)
    }
}

private func makeHardLink(_ target: UnsafePointer<CChar>, _ path: UnsafePointer<CChar>) -> Int32 {
    unsafe link(target, path)
}
