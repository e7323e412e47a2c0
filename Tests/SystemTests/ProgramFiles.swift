import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The programs that were built beside the tests, and who runs them.
enum ProgramFiles {
    /// The directory that holds `cleat` and `cleatd`.
    static let directory: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let bytes = buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:))
        return FilePath(String(decoding: bytes, as: UTF8.self)).removingLastComponent().string
    }()

    /// Whether the tests run as root.
    static var isRoot: Bool { geteuid() == 0 }

    /// Tells whether something stands at a path.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
