internal import CLinux
internal import SystemPackage

/// Opens and lists through directory descriptors.
enum DirectoryCalls {
    private static func check(_ result: Int) throws(Errno) -> Int {
        guard result >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: -result)) }
        return result
    }

    private static func check(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw Errno(rawValue: -result) }
        return result
    }

    static func openRoot() throws(Errno) -> Int32 {
        try check(clinux_hooks_open_root())
    }

    /// Opens the object that a name in a directory refers to (`O_PATH`); a link is opened itself, not followed.
    static func openPath(_ name: String, in directory: Int32) throws(Errno) -> Int32 {
        try check(unsafe name.withCString { unsafe clinux_hooks_open_path(directory, $0) })
    }

    static func openFile(_ name: String, in directory: Int32) throws(Errno) -> Int32 {
        try check(unsafe name.withCString { unsafe clinux_hooks_open_file(directory, $0) })
    }

    static func close(_ fd: Int32) {
        try? FileDescriptor(rawValue: fd).close()
    }

    static func readLink(_ fd: Int32) throws(Errno) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = try check(
            unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe clinux_hooks_read_link(fd, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            })
        guard count < buffer.count else { throw .fileNameTooLong }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    static func checkExecutable(_ name: String, in directory: Int32) throws(Errno) {
        _ = try check(unsafe name.withCString { unsafe clinux_hooks_is_executable(directory, $0) })
    }

    /// Lists the names in a directory, without `.` and `..`.
    static func list(_ directory: Int32, byteLimit: Int) throws(Errno) -> [String] {
        var buffer = [UInt8](repeating: 0, count: byteLimit)
        let used = try check(
            unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe clinux_hooks_list(
                    directory, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            })
        return buffer[..<used].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .filter { $0 != "." && $0 != ".." }
    }
}
