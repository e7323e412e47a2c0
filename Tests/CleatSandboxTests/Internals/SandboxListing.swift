import CleatSandbox
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads files without the tested code.
enum SandboxListing {
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

    static func makeLink(_ path: String, to target: String) throws(Errno) {
        guard unsafe symlink(target, path) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Gives a link itself to another user.
    static func giveLink(_ path: String, to user: UInt32) throws(Errno) {
        guard unsafe lchown(path, user, 0) == 0 else { throw Errno(rawValue: errno) }
    }

    static func makeDirectory(_ path: String) throws(Errno) {
        guard unsafe mkdir(path, 0o700) == 0 else { throw Errno(rawValue: errno) }
    }

    static func makeHardLink(_ path: String, to target: String) throws(Errno) {
        guard unsafe link(target, path) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes an empty file whose name need not be UTF-8.
    static func makeFile(_ name: [UInt8], in directory: String) throws(Errno) {
        let path = (Array(directory.utf8) + [UInt8(ascii: "/")] + name + [0]).map { CChar(bitPattern: $0) }
        let file = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Errno(rawValue: errno) }
        close(file)
    }

    static func makeFIFO(_ path: String) throws(Errno) {
        guard unsafe mkfifo(path, 0o600) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a node of a device that no driver has, so that even an open by mistake reaches nothing.
    static func makeDevice(_ path: String, block: Bool = false) throws(Errno) {
        let kind = block ? S_IFBLK : S_IFCHR
        guard unsafe mknod(path, kind | 0o600, dev_t(0xFFE << 8)) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a node of the device behind /dev/null, which may be opened without harm.
    static func makeNullDevice(_ path: String) throws(Errno) {
        guard unsafe mknod(path, S_IFCHR | 0o600, dev_t(1 << 8 | 3)) == 0 else { throw Errno(rawValue: errno) }
    }

    static func makeSocket(_ path: String) throws(Errno) {
        guard unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0 else { throw Errno(rawValue: errno) }
    }

    static func rename(_ path: String, to other: String) throws(Errno) {
        #if canImport(Glibc)
            let result = unsafe Glibc.rename(path, other)
        #else
            let result = unsafe Musl.rename(path, other)
        #endif
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    static func isLink(_ path: String) throws(Errno) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        return status.st_mode & S_IFMT == S_IFLNK
    }

    static func removeDirectory(_ path: String) throws(Errno) {
        guard unsafe rmdir(path) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Sets when a file was last changed, as a slow file system's clock might not show it.
    static func setTime(_ path: String, seconds: Int) throws(Errno) {
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        guard unsafe utimensat(AT_FDCWD, path, times, 0) == 0 else { throw Errno(rawValue: errno) }
    }

    /// All that can be seen of a tree: names, kinds, sizes, permissions, owners, times, and the content.
    static func fingerprint(_ path: String) throws -> [String] {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        let line =
            "\(path) \(status.st_ino) \(status.st_mode) \(status.st_uid) \(status.st_gid) \(status.st_nlink) "
            + "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) "
            + "\(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
        if status.st_mode & S_IFMT == S_IFREG { return [line + " \(try bytes(path))"] }
        guard status.st_mode & S_IFMT == S_IFDIR else { return [line] }
        return try [line] + names(path).sorted().flatMap { try fingerprint(path + "/" + $0) }
    }

    static func remove(_ path: String) throws(Errno) {
        guard unsafe unlink(path) == 0 else { throw Errno(rawValue: errno) }
    }

    static var isRoot: Bool { geteuid() == 0 }

    static var user: UInt32 { UInt32(geteuid()) }

    static var group: UInt32 { UInt32(getegid()) }

    static func status(_ path: String) throws(Errno) -> (mode: UInt32, user: UInt32, group: UInt32) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        return (UInt32(status.st_mode & 0o7777), UInt32(status.st_uid), UInt32(status.st_gid))
    }

    static func kind(_ path: String) throws(Errno) -> FileKind {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular
        case S_IFDIR: return .directory
        case S_IFLNK: return .symbolicLink
        default: return .other
        }
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        return try file.closeAfter {
            var all: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try unsafe chunk.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
                if count == 0 { return all }
                all += chunk.prefix(count)
            }
        }
    }
}
