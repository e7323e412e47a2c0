internal import CLinux
package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A directory of a test's own, removed with everything in it when the last reference goes.
package final class TemporaryDirectory: Sendable {
    /// The path of the directory.
    package let path: FilePath

    /// The directory in which such directories are made.
    package static var parent: String { unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp" }

    /// The path as text.
    package var text: String { path.string }

    /// Makes the directory, with mode 0700, under `TMPDIR` or `/tmp`.
    package init() throws(Errno) {
        var template = Array("\(Self.parent)/cleat-test-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { template in
            guard let base = template.baseAddress else { return false }
            return unsafe mkdtemp(base) != nil
        }
        guard made else { throw Errno(rawValue: errno) }
        path = FilePath(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    deinit { removeTree(path.string) }

    /// The path of something in it.
    package func appending(_ name: String) -> String { path.appending(name).string }

    /// Writes a file, replacing what was there, and gives its path.
    @discardableResult
    package func write(_ text: String, to name: String, mode: UInt16 = 0o644) throws -> String {
        let file = try FileDescriptor.open(
            path.appending(name), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: FilePermissions(rawValue: CModeT(mode)))
        _ = try file.closeAfter { try file.writeAll(text.utf8) }
        let result = unsafe chmod(path.appending(name).string, mode_t(mode))
        guard result == 0 else { throw Errno(rawValue: errno) }
        if mode & 0o111 != 0 { try waitUntilItCanBeRun(name) }
        return appending(name)
    }

    /// Writes a file so that readers see the former content or the new one, and nothing between. rename(2)
    package func replace(_ name: String, with text: String) throws {
        let new = try write(text, to: "new-\(name.split(separator: "/").joined(separator: "-"))")
        guard unsafe rename(new, appending(name)) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Waits until no process has a file open for writing.
    ///
    /// A child that another test has started in between has the file open until it executes its own program, and until
    /// then the kernel refuses to execute the file (ETXTBSY). No event reports the end of that: inotify(7) reports a
    /// close before the kernel counts the writer out.
    private func waitUntilItCanBeRun(_ name: String) throws {
        let directory = try FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
        try directory.closeAfter {
            for _ in 0..<10_000 {
                let isOpen = unsafe name.withCString { unsafe clinux_inotify_is_being_written(directory.rawValue, $0) }
                if isOpen != 1 { return }
                usleep(1_000)
            }
            throw Errno.textFileBusy
        }
    }

    /// Makes a directory in it, with mode 0755.
    package func makeDirectory(_ name: String) throws(Errno) {
        guard unsafe mkdir(path.appending(name).string, 0o755) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Reads a file of it as text.
    package func read(_ name: String) throws -> String { try contents(of: path.appending(name)) }
}

/// Reads a whole file as text.
package func contents(of path: FilePath) throws -> String { String(decoding: try bytes(of: path), as: UTF8.self) }

/// Reads all bytes of a file.
package func bytes(of path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    return try file.closeAfter {
        var bytes: [UInt8] = []
        while true {
            let chunk = try unsafe [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
                count = try unsafe file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
    }
}

/// Writes a file, or another content to it.
package func write(_ content: [UInt8], to path: FilePath) throws {
    let file = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: .ownerReadWrite)
    _ = try file.closeAfter { try file.writeAll(content) }
}

/// Returns the inode of a file or directory.
package func inode(of path: String) throws -> UInt64 {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { throw Errno(rawValue: errno) }
    return UInt64(info.st_ino)
}

/// Lists a directory by name, in no order, without `.` and `..`.
package func names(in path: String) throws -> [String] {
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

private func removeTree(_ path: String) {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return }
    if info.st_mode & S_IFMT == S_IFDIR {
        unsafe chmod(path, 0o700)
        for name in (try? names(in: path)) ?? [] { removeTree("\(path)/\(name)") }
        unsafe rmdir(path)
    } else {
        unsafe unlink(path)
    }
}
