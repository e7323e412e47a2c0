import CLinux
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Process {
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

    /// Removes a file if a signal ends the process.
    static func removeWhenEnded(_ name: String, in directory: FileDescriptor) {
        unsafe clinux_cli_remove_when_ended(directory.rawValue, name)
    }

    /// Cancels the removal.
    static func removeNothingWhenEnded() {
        clinux_cli_remove_when_ended(-1, nil)
    }
}

extension Process {
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
}
