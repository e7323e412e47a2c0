import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Changes files in ways that tests need.
enum Files {
    static var isRoot: Bool { geteuid() == 0 }
    static var user: UInt32 { geteuid() }
    static var process: Int32 { getpid() }

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

    static func remove(_ path: String) throws {
        try check(unsafe unlink(path))
    }

    static func resolve(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns true if a process lives; a dead one that waits for its parent does not.
    static func isAlive(_ pid: Int32) -> Bool {
        guard let stat = try? contentsOfProcessFile("/proc/\(pid)/stat"), let end = stat.lastIndex(of: ")") else {
            return false
        }
        return !stat[end...].dropFirst().hasPrefix(" Z") && !stat[end...].dropFirst().hasPrefix(" X")
    }

    private static func contentsOfProcessFile(_ path: String) throws -> String {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        defer { try? file.close() }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// The number of this process's threads.
    static var threads: Int? { number(after: "Threads:") }

    /// The most memory that this process has had, in KiB.
    static var peakMemory: Int? { number(after: "VmHWM:") }

    private static func number(after label: String) -> Int? {
        guard let status = try? contentsOfProcessFile("/proc/self/status") else { return nil }
        for line in status.split(separator: "\n") where line.hasPrefix(label) {
            return line.dropFirst(label.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first.flatMap {
                Int($0)
            }
        }
        return nil
    }
}
