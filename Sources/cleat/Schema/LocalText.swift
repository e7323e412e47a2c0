import CleatIO
import CleatJSON
import SystemPackage

/// A local file that is read as JSON or JSON5.
struct LocalText {
    /// The maximum size of a document, in bytes.
    static let maximumBytes = 16 << 20
    /// The limits of a document: 16 MiB, 512 levels, 2,097,152 values.
    static let limits = JSONLimits(depth: 512, size: maximumBytes, stringBytes: maximumBytes, values: 1 << 21)

    /// The name in messages.
    let name: String
    /// The syntax: JSON5 if the name ends in `.json5`, else JSON.
    let dialect: JSONDialect
    /// The content.
    let bytes: [UInt8]

    /// Reads a file, or standard input if the path is `-`.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: the maximum size in bytes.
    /// - Throws: a ``Failure``, worded to follow the file's name.
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
        do throws(Errno) {
            bytes = try unsafe SmallFile.collect(upTo: limit + 1) { buffer throws(Errno) in
                try unsafe Process.read(file.rawValue, into: buffer)
            }
        } catch {
            throw Failure(description: "cannot be read: \(error)")
        }
        guard bytes.count <= limit else { throw Failure(description: "is longer than \(limit) bytes; split it") }
    }

    /// The reason why a file cannot be read.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
