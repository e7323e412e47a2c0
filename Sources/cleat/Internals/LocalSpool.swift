import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Copies a stream into an unlinked temporary file, which can be read twice and is freed when the process ends.
enum LocalSpool {
    /// Copies a stream to its end, or until it has exceeded a limit: a device may be endless.
    ///
    /// - Parameters:
    ///   - stream: the stream.
    ///   - name: the name of the stream in errors.
    ///   - limit: the maximum size in bytes; copying stops after the first piece that exceeds it.
    /// - Returns: the file, and its size in bytes.
    /// - Throws: the reason why the stream cannot be read, or the file cannot be written.
    static func fill(
        from stream: FileDescriptor, name: String, upTo limit: Int64
    ) throws(CommandError) -> (Descriptor, Int64) {
        let directory = directory
        let file = try make(in: directory)
        var size: Int64 = 0
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count: Int
            do {
                count = try unsafe buffer.withUnsafeMutableBytes { unsafe try stream.read(into: $0) }
            } catch {
                throw .local("\(name) cannot be read: \(error)")
            }
            guard count > 0 else { return (file, size) }
            do {
                try file.descriptor.writeAll(buffer[..<count])
            } catch {
                throw .local(
                    "\(name) cannot be stored in \(directory): \(error)",
                    remedy: "set TMPDIR to a directory with more space")
            }
            size += Int64(count)
            if size > limit { return (file, size) }
        }
    }

    /// The directory of such files: TMPDIR, else /var/tmp if it is writable, since /tmp may be in memory, else /tmp.
    private static var directory: String {
        if let named = Process.environment("TMPDIR"), !named.isEmpty { return named }
        return unsafe access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp"
    }

    private static func make(in directory: String) throws(CommandError) -> Descriptor {
        let path = "\(directory)/cleat-put-\(RandomID.make())"
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: .ownerReadWrite)
            let descriptor = Descriptor(owning: file)
            guard unsafe unlink(path) == 0 else { throw Errno(rawValue: errno) }
            return descriptor
        } catch {
            throw .local(
                "cannot create a temporary file in \(directory): \(error)",
                remedy: "set TMPDIR to another directory")
        }
    }
}
