import CleatIO
import SystemPackage

/// Reads and replaces small files of the service itself, such as its configuration.
enum BoundedFile {
    /// Reads a whole file.
    ///
    /// - Returns: The bytes, or nil if there is no such file.
    /// - Throws: ``FileError`` for a file that is longer than `limit`, and for errors of the system calls.
    static func read(_ path: FilePath, limit: Int) throws(FileError) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try SmallFile.read(path, upTo: limit + 1)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw FileError(path, verb: "read", error)
        }
        guard bytes.count <= limit else { throw FileError(description: "\(path) is longer than \(limit) bytes") }
        return bytes
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
