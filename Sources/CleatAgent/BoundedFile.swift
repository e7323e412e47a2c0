import SystemPackage

/// Reads and replaces small files of the service itself, such as its configuration.
enum BoundedFile {
    /// Reads a whole file.
    ///
    /// - Returns: The bytes, or nil if there is no such file.
    /// - Throws: ``FileError`` for a file that is longer than `limit`, and for errors of the system calls.
    static func read(_ path: FilePath, limit: Int) throws(FileError) -> [UInt8]? {
        do {
            // Without O_NONBLOCK, opening a FIFO in that place would wait for its writer.
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

    /// Replaces a file atomically for its readers; the file does not have to survive a power cut.
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

/// The reason why a file of the service itself could not be used.
struct FileError: Error, CustomStringConvertible {
    let description: String

    init(description: String) {
        self.description = description
    }

    init(_ path: FilePath, verb: String, _ error: any Error) {
        description = "cannot \(verb) \(path): \(error)"
    }
}
