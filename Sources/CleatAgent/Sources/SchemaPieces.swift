import CleatAPI
import CleatJSON
import CleatSandbox
import CleatSettings

/// Cuts the schema in force into pieces that a message holds.
struct SchemaPieces: Sendable {
    /// The most bytes of a piece: as a string of JSON it takes twice as many at the most, and a message holds 1 MiB.
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

    /// The piece that begins at a byte.
    ///
    /// - Returns: nil where no character begins there.
    func piece(at offset: Int) -> SettingsInterface.Schema.Reply? {
        guard bytes.indices.contains(offset), !isContinuation(offset) else { return nil }
        var end = min(offset + Self.pieceBytes, bytes.count)
        while end < bytes.count, isContinuation(end) { end -= 1 }
        return SettingsInterface.Schema.Reply(
            text: String(decoding: bytes[offset..<end], as: UTF8.self), next: end < bytes.count ? end : nil,
            digest: digest)
    }

    /// Whether a byte goes on with a character of UTF-8.
    private func isContinuation(_ index: Int) -> Bool { bytes[index] & 0b1100_0000 == 0b1000_0000 }
}
