import CLinux
import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Questions about the files of this machine, and temporary files.
enum LocalFiles {
    /// The type of a file, with symbolic links followed.
    enum PathKind: Hashable, Sendable {
        /// No file exists.
        case nothing
        /// A symbolic link whose target does not exist.
        case danglingLink
        case regular, directory, socket
        /// A FIFO or a device.
        case stream
    }

    /// Returns the type of a file; `nothing` if `stat` fails, so that opening the file reports the reason.
    static func kind(ofPath path: String) -> PathKind {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK ? .danglingLink : .nothing
        }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .regular
        case S_IFDIR: .directory
        case S_IFSOCK: .socket
        default: .stream
        }
    }

    /// Returns the path with all symbolic links resolved; nil if the file does not exist.
    static func realPath(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// The permissions that new files do not get (umask(2)).
    static var fileModeMask: UInt16 {
        let mask = umask(0)
        umask(mask)
        return UInt16(truncatingIfNeeded: mask)
    }

    /// Returns true if a file exists at a path.
    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Returns true if a path is that of a directory.
    static func isDirectory(_ path: String) -> Bool {
        guard let directory = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .closeOnExec])
        else {
            return false
        }
        try? directory.close()
        return true
    }

    /// Returns the paths that complete a word, as in a shell; those of directories end in a slash.
    static func paths(startingWith prefix: String, limit: Int) -> [String] {
        let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { String(prefix[...$0]) } ?? ""
        guard let stream = unsafe opendir(directory.isEmpty ? "." : directory) else { return [] }
        defer { unsafe closedir(stream) }
        var paths: [String] = []
        while paths.count < limit, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            let path = directory + name
            guard name != ".", name != "..", path.utf8.starts(with: prefix.utf8) else { continue }
            paths.append(kind(ofPath: path) == .directory ? path + "/" : path)
        }
        return paths.sorted()
    }

    /// Locks a directory against other commands, and waits for the lock for a number of seconds at most. flock(2)
    ///
    /// - Returns: the descriptor that holds the lock; nil if the directory cannot be locked.
    /// - Throws: `wouldBlock` if another process still has the lock.
    static func lock(directory: String, seconds: Int64) throws(Errno) -> Descriptor? {
        guard let file = try? FileDescriptor.open(FilePath(directory), .readOnly, options: [.directory, .closeOnExec])
        else { return nil }
        let lock = Descriptor(owning: file)
        let limit = ContinuousClock.now + .seconds(seconds)
        while flock(lock.rawValue, LOCK_EX | LOCK_NB) < 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { return nil }
            guard ContinuousClock.now < limit else { throw .wouldBlock }
            Process.pause(milliseconds: 20)
        }
        return lock
    }

    /// Returns true if a program at a path can be executed.
    static func canRun(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// Creates an unlinked file in a directory, for reading and writing.
    static func makeNamelessFile(in directory: String) throws(Errno) -> FileDescriptor {
        let path = directory + "/log"
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .append, .closeOnExec],
                permissions: [.ownerReadWrite])
            unsafe unlink(path)
            return file
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Returns the last bytes of an open file as text.
    static func tail(of file: FileDescriptor, limit: Int) -> String {
        var buffer = [UInt8](repeating: 0, count: limit)
        let size = lseek(file.rawValue, 0, SEEK_END)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe pread(file.rawValue, $0.baseAddress, $0.count, max(0, size - off_t($0.count)))
        }
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Creates a directory that only the user can access, in `TMPDIR` or `/tmp`. mkdtemp(3)
    static func makePrivateDirectory(_ prefix: String) throws(CommandError) -> String {
        var parent = Process.environment("TMPDIR") ?? ""
        if parent.isEmpty { parent = "/tmp" }
        var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            return unsafe mkdtemp(base) != nil
        }
        guard isMade else {
            throw .local(
                "cannot create a private directory in \(parent): \(Errno(rawValue: errno))",
                remedy: "set TMPDIR to another directory")
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes such a directory with its files; an editor may have left copies there.
    static func removePrivateDirectory(_ path: String) {
        for file in paths(startingWith: path + "/", limit: 1_000) { unsafe unlink(file) }
        unsafe rmdir(path)
    }
}
