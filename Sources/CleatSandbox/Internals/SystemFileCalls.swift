internal import CLinux
package import SystemPackage

/// Makes the actual system calls of a durable write.
package struct SystemFileCalls: DurableFileCalls {
    private let counter: WriteCounter?

    /// Makes the calls.
    ///
    /// - Parameter counter: Counts what is written and flushed; nil for none.
    package init(counting counter: WriteCounter? = nil) {
        self.counter = counter
    }

    /// Creates a new file, readable and writable by its owner alone, and opens it for writing.
    package func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor {
        let result = unsafe name.withCString { unsafe clinux_store_create(directory.rawValue, $0) }
        return FileDescriptor(rawValue: try Self.check(result))
    }

    /// Writes some of the bytes and returns their number.
    package func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int {
        let written = unsafe clinux_store_write(file.rawValue, bytes.baseAddress, bytes.count)
        guard written >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: 0 &- written)) }
        counter?.add(bytes: written)
        return written
    }

    /// Flushes a file's content.
    package func flush(_ file: FileDescriptor) throws(Errno) {
        counter?.addFlush()
        try Self.check(clinux_store_fdatasync(file.rawValue))
    }

    /// Sets a file's owner.
    package func setOwner(_ owner: FileOwner, of file: FileDescriptor) throws(Errno) {
        try Self.check(clinux_store_fchown(file.rawValue, owner.user, owner.group))
    }

    /// Sets a file's permissions.
    package func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
        try Self.check(clinux_store_fchmod(file.rawValue, UInt32(permissions.rawValue)))
    }

    /// Closes a file.
    package func close(_ file: FileDescriptor) throws(Errno) {
        try Self.check(clinux_store_close(file.rawValue))
    }

    /// Renames a file over another in the same directory.
    package func rename(_ name: String, to other: String, in directory: FileDescriptor) throws(Errno) {
        let result = unsafe name.withCString { from in
            unsafe other.withCString { to in unsafe clinux_store_rename(directory.rawValue, from, to) }
        }
        try Self.check(result)
    }

    /// Flushes a directory.
    package func flushDirectory(_ directory: FileDescriptor) throws(Errno) {
        counter?.addFlush()
        try Self.check(clinux_store_fsync(directory.rawValue))
    }

    /// Removes a file.
    package func remove(_ name: String, in directory: FileDescriptor) throws(Errno) {
        let result = unsafe name.withCString { unsafe clinux_store_unlink(directory.rawValue, $0) }
        try Self.check(result)
    }

    /// Lists the names in a directory: getdents64(2), without `.` and `..`.
    package static func names(in directory: FileDescriptor) throws(Errno) -> [String] {
        final class Box { var names: [String] = [] }
        let box = Box()
        let result = unsafe clinux_store_list(directory.rawValue, Unmanaged.passUnretained(box).toOpaque()) {
            context, name in
            guard let context = unsafe context, let name = unsafe name else { return }
            unsafe Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().names.append(String(cString: name))
        }
        try check(result)
        return box.names
    }

    /// Returns an unpredictable number.
    static func random() -> UInt64 {
        UInt64.random(in: .min ... .max)
    }

    @discardableResult
    static func check(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw Errno(rawValue: 0 &- result) }
        return result
    }
}
