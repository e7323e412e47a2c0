import CleatAPI
import CleatHash
import CleatJSON
import CleatSettings

/// Splits the text of the schema in force into pieces that fit into a message.
struct SchemaPieces: Sendable {
    /// The maximum size of a piece in bytes: as a JSON string it takes at most twice as many, and a message holds 1
    /// MiB.
    static let pieceBytes = 384 * 1_024

    private let bytes: [UInt8]
    private let digest: String

    /// Writes a schema as the text of one JSON Schema.
    init(_ schema: Schema) {
        var bytes = JSONWriter.bytes(of: schema.json, style: .pretty)
        bytes.append(UInt8(ascii: "\n"))
        self.bytes = bytes
        digest = SHA256.hexadecimal(of: bytes)
    }

    /// Returns the piece that begins at a byte.
    ///
    /// - Returns: The piece; nil if no character begins at the offset.
    func piece(at offset: Int) -> SettingsInterface.Schema.Reply? {
        guard bytes.indices.contains(offset), !isContinuation(offset) else { return nil }
        var end = min(offset + Self.pieceBytes, bytes.count)
        while end < bytes.count, isContinuation(end) { end -= 1 }
        return SettingsInterface.Schema.Reply(
            text: String(decoding: bytes[offset..<end], as: UTF8.self), next: end < bytes.count ? end : nil,
            digest: digest)
    }

    /// Returns true if a byte is a continuation byte of UTF-8.
    private func isContinuation(_ index: Int) -> Bool { bytes[index] & 0b1100_0000 == 0b1000_0000 }
}
