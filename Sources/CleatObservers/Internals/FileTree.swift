internal import CLinux
internal import CleatIO
package import SystemPackage

/// Reads small files below one directory, such as `/sys`.
package final class FileTree: Sendable {
    private let descriptor: Descriptor

    /// Opens the directory.
    package init(_ path: String) throws(Errno) {
        // AT_FDCWD
        let fd = unsafe path.withCString { unsafe clinux_open_directory(-100, $0) }
        guard fd >= 0 else { throw Errno(rawValue: -fd) }
        descriptor = Descriptor(owning: FileDescriptor(rawValue: fd))
    }

    /// Reads the first `limit` bytes of a file; nil if it cannot be read.
    ///
    /// The default is the most that a file of sysfs can hold.
    package func read(_ path: String, limit: Int = 4_096) -> [UInt8]? {
        unsafe bytes(limit) { buffer in
            unsafe path.withCString { path in
                unsafe clinux_read_file(descriptor.rawValue, path, buffer.baseAddress, buffer.count)
            }
        }
    }

    /// Returns the target of a symbolic link; nil if there is none.
    package func readLink(_ path: String) -> String? {
        let target = unsafe bytes(4_096) { buffer in
            unsafe path.withCString { path in
                unsafe clinux_read_link(descriptor.rawValue, path, buffer.baseAddress, buffer.count)
            }
        }
        return target.flatMap { String(validating: $0, as: UTF8.self) }
    }

    private func bytes(_ limit: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> [UInt8]? {
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            result = unsafe body(buffer)
            count = min(max(0, result), buffer.count)
        }
        return result < 0 ? nil : bytes
    }

    /// Returns true if a path exists.
    package func exists(_ path: String) -> Bool {
        unsafe path.withCString { unsafe clinux_exists(descriptor.rawValue, $0) } == 1
    }

    /// Returns the names in a directory in the kernel's order, without `.` and `..`; empty if it cannot be read.
    package func names(in path: String, limit: Int = 65_536) -> [String] {
        let fd = unsafe path.withCString { unsafe clinux_open_directory(descriptor.rawValue, $0) }
        guard fd >= 0 else { return [] }
        let directory = Descriptor(owning: FileDescriptor(rawValue: fd))
        defer { directory.close() }
        var names: [String] = []
        while names.count < limit {
            let chunk = unsafe bytes(8_192) { buffer in
                unsafe clinux_directory_entries(directory.rawValue, buffer.baseAddress, buffer.count)
            }
            guard let chunk, !chunk.isEmpty else { break }
            let view = ByteView(chunk)
            var offset = 0
            // struct linux_dirent64: inode, offset (8 bytes each), record length (2), type (1), name.
            while let length = view.native16(at: offset + 16).map({ Int($0) }), length > 19 {
                if let name = view.part(at: offset + 19, count: length - 19)?.text, name != ".", name != ".." {
                    names.append(name)
                }
                offset += length
            }
        }
        return names
    }
}
