package import SystemPackage

/// Reads small files whole, up to a limit.
///
/// A caller that refuses longer files reads one byte more than it accepts.
package enum SmallFile {
    private static let chunk = 16_384

    /// Reads at most `limit` bytes of a file; a FIFO without a writer is empty and not waited for.
    package static func read(_ path: FilePath, upTo limit: Int) throws(Errno) -> [UInt8] {
        let file = Descriptor(owning: try Kernel.openForReading(path.string))
        return try read(file.descriptor, upTo: limit)
    }

    /// Reads at most `limit` bytes of an open file, from its offset on.
    package static func read(_ file: FileDescriptor, upTo limit: Int) throws(Errno) -> [UInt8] {
        try unsafe collect(upTo: limit) { buffer throws(Errno) in
            guard let count = try unsafe Kernel.read(file.rawValue, into: buffer) else {
                throw .resourceTemporarilyUnavailable
            }
            return count
        }
    }

    /// Reads at most `limit` bytes of a file as text.
    package static func text(_ path: String, limit: Int) throws(Errno) -> String {
        String(decoding: try read(FilePath(path), upTo: limit), as: UTF8.self)
    }

    /// Collects the bytes of several calls of a function, until one returns 0 or `limit` bytes have been read.
    package static func collect(
        upTo limit: Int, _ read: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
    ) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, chunk))
        while bytes.count < limit {
            let wanted = min(buffer.count, limit - bytes.count)
            let result = unsafe buffer.withUnsafeMutableBytes { buffer in
                Result { () throws(Errno) in
                    try unsafe read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
                }
            }
            let count = try result.get()
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
