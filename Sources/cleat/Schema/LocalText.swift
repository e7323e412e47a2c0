import CleatIO
import CleatJSON
import SystemPackage

/// A file on this side that is read as JSON or JSON5.
struct LocalText {
    /// The most bytes of a document.
    static let maximumBytes = 16 << 20
    /// Bounds of a document that is checked: 16 MiB, 512 levels, 2,097,152 values.
    static let limits = JSONLimits(depth: 512, size: maximumBytes, stringBytes: maximumBytes, values: 1 << 21)

    /// Its name for messages.
    let name: String
    /// The grammar: JSON5 where the name ends so.
    let dialect: JSONDialect
    /// Its bytes.
    let bytes: [UInt8]

    /// Reads a file, or standard input where the name is `-`.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the most bytes that it may have.
    /// - Throws: one sentence that goes on after the name.
    init(path: String, limit: Int) throws(Failure) {
        name = path == "-" ? "standard input" : path
        dialect = path.hasSuffix(".json5") ? .json5 : .json
        let file: Descriptor
        do {
            file = Descriptor(
                owning: path == "-"
                    ? try FileDescriptor.standardInput.duplicate()
                    : try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec))
        } catch {
            throw Failure(description: "cannot be opened: \(error)")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count: Int
            do {
                count = try unsafe chunk.withUnsafeMutableBytes { unsafe try Process.read(file.rawValue, into: $0) }
            } catch {
                throw Failure(description: "cannot be read: \(error)")
            }
            guard count > 0 else { break }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw Failure(description: "is longer than \(limit) bytes; split it") }
        }
        self.bytes = bytes
    }

    /// Says why a file cannot be read.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
