import Cleat
import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A directory in memory, or in the directory of temporary files where there is none; it is removed with the last
/// reference, or at the end of the program. tmpfs(5)
final class MemoryDirectory: Sendable {
    /// The path of the directory.
    let path: FilePath

    /// Creates an empty directory that only this user can read.
    ///
    /// - Throws: `CleatError` with the code `failed`.
    init() throws(CleatError) {
        let parent =
            unsafe access("/dev/shm", W_OK | X_OK) == 0
            ? "/dev/shm" : unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/cleat-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { template in
            unsafe template.baseAddress.map { unsafe mkdtemp($0) } != nil
        }
        guard isMade else {
            throw CleatError(
                .failed, "no directory for settings in memory can be made in \(parent): \(Errno(rawValue: errno))",
                remedy: "name a directory that can be written in TMPDIR")
        }
        path = FilePath(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        let isFirst = Self.live.withLock { live in
            live.paths.insert(path)
            defer { live.isWatched = true }
            return !live.isWatched
        }
        // A program that ends does not release what it holds.
        if isFirst { atexit { MemoryDirectory.removeAll() } }
    }

    deinit {
        _ = Self.live.withLock { $0.paths.remove(path) }
        Self.remove(path)
    }

    private struct Live {
        var paths: Set<FilePath> = []
        var isWatched = false
    }

    private static let live = Mutex(Live())

    private static func removeAll() { for path in live.withLock({ $0.paths }) { remove(path) } }

    private static func remove(_ path: FilePath) {
        // A store has no subdirectories.
        guard let directory = unsafe opendir(path.string) else { return }
        while let entry = unsafe readdir(directory) {
            unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    _ = unsafe unlinkat(dirfd(directory), name, 0)
                }
            }
        }
        unsafe closedir(directory)
        _ = unsafe rmdir(path.string)
    }
}
