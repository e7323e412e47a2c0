import CTestKernel
import CleatIO
import CleatSandbox
import CleatTestSupport
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Returns the contents of a directory: kinds, owners, modes, bytes, and the targets of links.
func snapshot(_ root: String) throws -> [String: String] {
    var found: [String: String] = [:]
    var open = [""]
    while let path = open.popLast() {
        for name in try names(in: root + "/" + path) {
            let path = path.isEmpty ? name : path + "/" + name
            var status = stat()
            guard unsafe lstat(root + "/" + path, &status) == 0 else { throw Errno(rawValue: errno) }
            var text = "\(String(status.st_mode, radix: 8)) \(status.st_uid):\(status.st_gid)"
            switch status.st_mode & S_IFMT {
            case S_IFDIR: open.append(path)
            case S_IFREG: text += " " + (try contents(of: FilePath(root + "/" + path)))
            case S_IFLNK:
                let parent = try FileDescriptor.open(FilePath(root + "/" + path).removingLastComponent(), .readOnly)
                text += " -> " + (try parent.closeAfter { try SystemFileCalls().readLink(FileName(name), in: parent) })
            default: break
            }
            found[path] = text
        }
    }
    return found
}

/// Makes a directory with those above it.
func makeDirectories(_ path: String) throws {
    var way = ""
    for name in path.split(separator: "/") {
        way += "/" + name
        if unsafe mkdir(way, 0o755) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
    }
}

/// Makes a file in a directory that is there.
func makeFile(_ path: String, _ text: String, mode: UInt16 = 0o600) throws {
    let file = try FileDescriptor.open(
        FilePath(path), .writeOnly, options: .create, permissions: FilePermissions(rawValue: CModeT(mode)))
    _ = try file.closeAfter { try file.writeAll(text.utf8) }
}

func makeLink(_ path: String, to target: String) throws {
    guard unsafe symlink(target, path) == 0 else { throw Errno(rawValue: errno) }
}

func makeFIFO(_ path: String) throws {
    guard unsafe mkfifo(path, 0o600) == 0 else { throw Errno(rawValue: errno) }
}

func makeHardLink(_ path: String, to other: String) throws {
    guard unsafe link(other, path) == 0 else { throw Errno(rawValue: errno) }
}

func moveName(_ path: String, to other: String) throws {
    guard unsafe rename(path, other) == 0 else { throw Errno(rawValue: errno) }
}

func removeName(_ path: String) throws {
    let result = unsafe unlink(path) == 0 ? 0 : rmdir(path)
    guard result == 0 else { throw Errno(rawValue: errno) }
}

func give(_ path: String, to user: UInt32) throws {
    guard unsafe lchown(path, user, user) == 0 else { throw Errno(rawValue: errno) }
}

/// Has nothing in a directory be written while the body runs.
func readOnly(_ directory: String, _ body: () throws -> Void) throws {
    let result = unsafe ctest_mount_read_only(directory)
    guard result == 0 else { throw Errno(rawValue: 0 - result) }
    defer { _ = unsafe ctest_unmount(directory) }
    try body()
}

/// Mounts one file over another while the body runs.
func mounted(_ source: String, over target: String, _ body: () throws -> Void) throws {
    let result = unsafe ctest_bind_mount(source, target)
    guard result == 0 else { throw Errno(rawValue: 0 - result) }
    defer { _ = unsafe ctest_unmount(target) }
    try body()
}
