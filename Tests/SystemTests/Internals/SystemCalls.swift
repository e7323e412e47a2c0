import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What tests ask the system directly.
enum SystemCalls {
    /// Whether tests run as root.
    static var isRoot: Bool { geteuid() == 0 }

    /// Whether a process is there, as something else than a corpse that nobody has buried yet.
    static func isAlive(_ pid: Int32) -> Bool {
        guard let text = try? FileDescriptor.open(FilePath("/proc/\(pid)/stat"), .readOnly, options: .closeOnExec)
        else { return false }
        return
            (try? text.closeAfter {
                var buffer = [UInt8](repeating: 0, count: 1024)
                let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe text.read(into: $0) }
                // The name in parentheses may hold anything: the state is the field after its end.
                let end = buffer.prefix(count).lastIndex(of: UInt8(ascii: ")")) ?? 0
                return end + 2 < count && buffer[end + 2] != UInt8(ascii: "Z")
            }) ?? false
    }

    /// Whether a path names anything.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Makes a directory.
    static func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws {
        guard unsafe mkdir(path, mode) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Changes the mode of a file.
    static func changeMode(_ path: String, _ mode: UInt32) throws {
        guard unsafe chmod(path, mode) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Removes a file.
    static func remove(_ path: String) throws {
        guard unsafe unlink(path) == 0 else { throw Errno(rawValue: errno) }
    }
}
