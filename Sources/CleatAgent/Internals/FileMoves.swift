import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Directory calls that swift-system does not have.
enum FileMoves {
    /// Renames a file over another one. rename(2)
    static func rename(_ path: FilePath, to target: FilePath) throws(Errno) {
        try check(
            unsafe path.withPlatformString { path in
                unsafe target.withPlatformString { target in
                    #if canImport(Glibc)
                        unsafe Glibc.rename(path, target)
                    #else
                        unsafe Musl.rename(path, target)
                    #endif
                }
            })
    }

    /// Makes a directory and those above it that are missing; one that is there stays as it is. mkdir(2)
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - mode: The mode of the last directory; those above get 0755.
    /// - Throws: What the system refuses, and `ENOTDIR` where a file stands in the way.
    static func makeDirectories(_ path: FilePath, mode: UInt32) throws(Errno) {
        var partial = FilePath("/")
        let components = Array(path.components)
        for (index, component) in components.enumerated() {
            partial.append(component)
            let result = unsafe partial.withPlatformString { text in
                unsafe mkdir(text, mode_t(index == components.count - 1 ? mode : 0o755))
            }
            guard result != 0 else { continue }
            let error = Errno(rawValue: errno)
            guard error == .fileExists || (isDirectory(partial) && index < components.count - 1) else { throw error }
        }
        if !isDirectory(path) { throw .notDirectory }
    }

    /// Whether something stands at a path. access(2)
    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    private static func isDirectory(_ path: FilePath) -> Bool {
        var status = stat()
        return unsafe path.withPlatformString { unsafe stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func check(_ result: Int32) throws(Errno) {
        if result != 0 { throw Errno(rawValue: errno) }
    }
}
