import CleatAPI
import CleatHash
import CleatJSON

/// Fetches the schema in force from the service, piece by piece.
struct SchemaDownload {
    /// The maximum size of a schema, in bytes.
    static let maximumBytes = 64 << 20
    /// The maximum number of attempts to fetch the schema while it changes.
    private static let attempts = 4

    let session: Session

    /// Fetches and parses the schema.
    func schema() throws(CommandError) -> JSONValue {
        for _ in 0..<Self.attempts {
            guard let text = try text() else { continue }
            do {
                return try JSONReader.read(
                    text, limits: JSONLimits(depth: 512, size: Self.maximumBytes, values: 1 << 22))
            } catch {
                throw Self.garbled("is not valid JSON: \(error)")
            }
        }
        throw CommandError(
            status: .conflict, layer: .speak, code: "Conflict",
            message: "the schema changed while it was fetched, \(Self.attempts) times", remedy: "try again")
    }

    /// Fetches the schema's text; nil if it changed between two pieces.
    private func text() throws(CommandError) -> String? {
        var text = ""
        var offset: Int?
        var digest: String?
        while true {
            let piece = try session.call(SettingsInterface.Schema.self, .init(offset: offset))
            if let digest, digest != piece.digest { return nil }
            digest = piece.digest
            text += piece.text
            guard let next = piece.next else { break }
            guard next == text.utf8.count, !piece.text.isEmpty else {
                throw Self.garbled("continues at byte \(next), though \(text.utf8.count) bytes are here")
            }
            guard next <= Self.maximumBytes else { throw Self.garbled("is longer than \(Self.maximumBytes) bytes") }
            offset = next
        }
        let found = SHA256.hexadecimal(of: text.utf8)
        guard found == digest else {
            throw Self.garbled("has the digest \(found), and the service sent \(digest ?? "nothing")")
        }
        return text
    }

    private static func garbled(_ fault: String) -> CommandError {
        CommandError(
            status: .failure, layer: .speak, code: "Reply", message: "the schema that the service sends \(fault)",
            remedy: CommandError.otherVersion)
    }
}
