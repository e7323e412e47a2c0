internal import CLinux
package import SystemPackage

extension SystemFileCalls: ManagedFileCalls {
    /// Opens a directory relative to `root` as `/`, without following links.
    package func open(directory path: String, inRoot root: FileDescriptor) throws(Errno) -> FileDescriptor {
        let result = unsafe path.withCString { unsafe clinux_managed_open_in_root(root.rawValue, $0) }
        return FileDescriptor(rawValue: try Self.check(result))
    }

    /// Reads the target of a link.
    package func readLink(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> String {
        var buffer = [UInt8](repeating: 0, count: RootResolver.pathLimit + 1)
        let result = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe name.withCString {
                unsafe clinux_managed_read_link(
                    directory.rawValue, $0, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            }
        }
        let count = try Self.count(result)
        guard count < buffer.count else { throw .fileNameTooLong }
        guard let text = String(validating: buffer[..<count], as: UTF8.self) else { throw .illegalByteSequence }
        return text
    }

    /// Makes a new symbolic link.
    package func makeLink(to target: String, _ name: String, in directory: FileDescriptor) throws(Errno) {
        let result = unsafe target.withCString { target in
            unsafe name.withCString { unsafe clinux_managed_make_link(target, directory.rawValue, $0) }
        }
        try Self.check(result)
    }

    /// Sets the owner of a link itself.
    package func setOwner(_ owner: FileOwner, ofLink name: String, in directory: FileDescriptor) throws(Errno) {
        let result = unsafe name.withCString {
            unsafe clinux_managed_own_link(directory.rawValue, $0, owner.user, owner.group)
        }
        try Self.check(result)
    }

    /// Returns true if something is mounted on a name.
    package func isMountPoint(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> Bool {
        let result = unsafe name.withCString { unsafe clinux_managed_is_mount_point(directory.rawValue, $0) }
        return try Self.check(result) == 1
    }

    /// Lists the names of a file's extended attributes.
    package func attributeNames(of file: FileDescriptor) throws(Errno) -> [FileName] {
        let bytes = try unsafe Self.grown { buffer in
            unsafe clinux_managed_attribute_names(
                file.rawValue, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return bytes.split(separator: 0).map { FileName(bytes: $0) }
    }

    /// Reads an extended attribute.
    package func attribute(_ name: FileName, of file: FileDescriptor) throws(Errno) -> [UInt8] {
        try unsafe Self.grown { buffer in
            unsafe name.withCString { name in
                unsafe clinux_managed_attribute(file.rawValue, name, buffer.baseAddress, buffer.count)
            }
        }
    }

    /// Sets an extended attribute.
    package func setAttribute(_ attribute: ExtendedAttribute, of file: FileDescriptor) throws(Errno) {
        let result = unsafe attribute.name.withCString { name in
            unsafe attribute.value.withUnsafeBytes { value in
                unsafe clinux_managed_set_attribute(file.rawValue, name, value.baseAddress, value.count)
            }
        }
        try Self.check(result)
    }

    /// Removes an extended attribute.
    package func removeAttribute(_ name: FileName, of file: FileDescriptor) throws(Errno) {
        try Self.check(unsafe name.withCString { unsafe clinux_managed_remove_attribute(file.rawValue, $0) })
    }

    /// Calls `call` with a buffer of the size that it returns for an empty one; the kernel's limit is 64 KiB.
    private static func grown(_ call: (UnsafeMutableRawBufferPointer) -> Int) throws(Errno) -> [UInt8] {
        for _ in 0..<8 {
            let size = try count(unsafe call(UnsafeMutableRawBufferPointer(start: nil, count: 0)))
            if size == 0 { return [] }
            var buffer = [UInt8](repeating: 0, count: size)
            let filled = unsafe buffer.withUnsafeMutableBytes { unsafe call($0) }
            // The value has grown since its size was read.
            if filled == 0 - Int(Errno.outOfRange.rawValue) { continue }
            return Array(buffer.prefix(try count(filled)))
        }
        throw .wouldBlock
    }
}
