import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system calls of tests.
enum SystemCalls {
    /// True if tests run as root.
    static var isRoot: Bool { geteuid() == 0 }

    /// Returns true if a process exists and is not a zombie.
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

    /// Returns true if a path exists.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Makes a directory.
    static func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws {
        guard unsafe mkdir(path, mode) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Changes the mode of a file.
    static func changeMode(_ path: String, _ mode: UInt32) throws {
        guard unsafe chmod(path, mode) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Returns the target of a symbolic link.
    static func target(ofLink path: String) throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count > 0 else { throw Errno(rawValue: errno) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// Removes a file.
    static func remove(_ path: String) throws {
        guard unsafe unlink(path) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Returns the target of a symbolic link.
    static func readLink(_ path: String) throws -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count >= 0 else { throw Errno(rawValue: errno) }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns true if a file contains a text.
    static func holds(_ path: FilePath, _ text: String) -> Bool {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else { return false }
        return
            (try? file.closeAfter {
                let size = Int(try file.seek(offset: 0, from: .end))
                guard let start = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, file.rawValue, 0),
                    unsafe start != MAP_FAILED
                else { return false }
                defer { unsafe munmap(start, size) }
                let wanted = Array(text.utf8)
                var at = 0
                while at + wanted.count <= size,
                    let found = unsafe memchr(start + at, Int32(wanted[0]), size - wanted.count + 1 - at)
                {
                    if unsafe memcmp(found, wanted, wanted.count) == 0 { return true }
                    at = unsafe found - start + 1
                }
                return false
            }) ?? false
    }
}
