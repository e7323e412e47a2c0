import CleatHash

/// Sends the lines of a file in pieces that fit into messages, and hashes them.
struct SnapshotFileWriter {
    private let send: @Sendable (String) async throws -> Void
    private var text = ""
    private var digest = SHA256()

    /// The approximate maximum size of one piece in bytes.
    static let pieceBytes = 256 << 10

    init(send: @escaping @Sendable (String) async throws -> Void) { self.send = send }

    /// Adds a line.
    mutating func add(_ line: String) async throws {
        digest.update(line.utf8)
        text += line
        if text.utf8.count > Self.pieceBytes { try await flush() }
    }

    /// Sends the remaining lines, except for the last one, which is returned.
    mutating func end() async throws -> String {
        try await flush()
        return SnapshotFile.end(digest)
    }

    private mutating func flush() async throws {
        let bytes = Array(text.utf8)
        text = ""
        var start = 0
        while start < bytes.count {
            var end = min(start + Self.pieceBytes, bytes.count)
            // A byte that begins with the bits 10 is within a character.
            while end < bytes.count, bytes[end] & 0xc0 == 0x80 { end -= 1 }
            try await send(String(decoding: bytes[start..<end], as: UTF8.self))
            start = end
        }
    }
}
