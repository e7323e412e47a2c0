import SystemPackage

/// Reads and replaces small files of the service's own, such as its configuration.
enum BoundedFile {
    /// Reads a whole file.
    ///
    /// - Returns: The bytes, or nil where there is no such file.
    /// - Throws: ``FileError`` for a file that is longer than `limit`, and for what the system refuses.
    static func read(_ path: FilePath, limit: Int) throws(FileError) -> [UInt8]? {
        do {
            // Without O_NONBLOCK, opening a FIFO that someone put there would wait for its writer.
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            defer { try? file.close() }
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
                guard count > 0 else { return bytes }
                bytes += buffer[..<count]
                if bytes.count > limit { break }
            }
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw FileError(path, verb: "read", error)
        }
        throw FileError(description: "\(path) is longer than \(limit) bytes")
    }

    /// Replaces a file that does not have to outlive a power cut: whole or not at all for whoever reads it meanwhile.
    static func replace(_ path: FilePath, with bytes: [UInt8]) throws(FileError) {
        let temporary = FilePath("\(path).new")
        do {
            FileMoves.remove(temporary)
            let file = try FileDescriptor.open(
                temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite])
            try file.closeAfter { _ = try file.writeAll(bytes) }
            try FileMoves.rename(temporary, to: path)
        } catch {
            throw FileError(path, verb: "write", error)
        }
    }
}

/// Why a file of the service's own could not be used.
struct FileError: Error, CustomStringConvertible {
    let description: String

    init(description: String) {
        self.description = description
    }

    init(_ path: FilePath, verb: String, _ error: any Error) {
        description = "cannot \(verb) \(path): \(error)"
    }
}
