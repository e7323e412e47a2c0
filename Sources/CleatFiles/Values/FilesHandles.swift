/// Reads an open file in parts, from any offset.
public struct FilesReader: Sendable {
    /// The size of the parts in ``parts``, in bytes.
    public static let partSize = 1 << 16

    private let part: @Sendable (Int64, Int) async throws(FilesError) -> [UInt8]

    /// Makes a reader, in a program's own implementation of the protocols, from the function of ``read(from:upTo:)``.
    public init(_ part: @escaping @Sendable (Int64, Int) async throws(FilesError) -> [UInt8]) { self.part = part }

    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    ///
    /// - Throws: ``FilesError``: the reason why the file could not be read.
    public func read(from offset: Int64, upTo count: Int) async throws(FilesError) -> [UInt8] {
        try FilesError.requirePart(from: offset, upTo: count, of: "")
        return try await part(offset, count)
    }

    /// The content in parts of ``partSize`` bytes, from the beginning.
    public var parts: FilesSequence<[UInt8]> {
        FilesSequence {
            var offset: Int64 = 0
            return { () async throws(FilesError) in
                let bytes = try await part(offset, Self.partSize)
                offset += Int64(bytes.count)
                return bytes.isEmpty ? nil : bytes
            }
        }
    }
}

/// Writes a file as a stream: it becomes visible when it is committed, complete and durable, or never.
///
/// The bytes are discarded if the last copy of a writer is released before the commit.
public struct FilesWriter: Sendable {
    private let part: @Sendable ([UInt8]) async throws(FilesError) -> Void
    private let end: @Sendable () async throws(FilesError) -> Void

    /// Makes a writer, in a program's own implementation of the protocols, from the functions of ``write(_:)`` and
    /// ``commit()``; an object that both of them hold discards the bytes when it is released.
    public init(
        write: @escaping @Sendable ([UInt8]) async throws(FilesError) -> Void,
        commit: @escaping @Sendable () async throws(FilesError) -> Void
    ) {
        part = write
        end = commit
    }

    /// Writes all of the bytes after those written before.
    ///
    /// - Throws: ``FilesError``: the reason why not all could be written; `ended` after the commit or an error.
    public func write(_ bytes: [UInt8]) async throws(FilesError) { try await part(bytes) }

    /// Puts the file in place; it survives a power cut then.
    ///
    /// - Throws: ``FilesError``: the reason why it was not committed; the former file is unchanged then, unless the error says
    ///   that the change may have been made.
    public func commit() async throws(FilesError) { try await end() }
}
