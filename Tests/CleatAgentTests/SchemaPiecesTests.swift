import CleatAPI
import CleatHash
import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatAgent

@Suite("The schema in pieces")
struct SchemaPiecesTests {
    /// Reads all pieces from the first on.
    private func text(_ pieces: SchemaPieces) throws -> (text: String, digest: String, count: Int) {
        var text = ""
        var offset = 0
        var count = 0
        while true {
            let piece = try #require(pieces.piece(at: offset))
            #expect(piece.text.utf8.count <= SchemaPieces.pieceBytes)
            text += piece.text
            count += 1
            guard let next = piece.next else { return (text, piece.digest, count) }
            #expect(next == text.utf8.count)
            offset = next
        }
    }

    @Test("A small one is one piece, and reads back as the schema")
    func small() throws {
        let (text, digest, count) = try text(SchemaPieces(.builtIn))
        #expect(count == 1 && digest == SHA256.hexadecimal(of: text.utf8))
        let read = try Schema(json: JSONReader.read(text))
        #expect(read.entries().map(\.pattern) == Schema.builtIn.entries().map(\.pattern))
    }

    @Test("A large one is cut between characters", arguments: 0..<TestMachine.rounds(4, briefly: 1))
    func large(_ shift: Int) throws {
        let words = String(repeating: "x", count: shift) + String(repeating: "𝄞", count: 250_000)
        let schema = try Schema(
            json: ["type": "object", "properties": ["a": ["type": "string", "description": .string(words)]]])
        let pieces = SchemaPieces(schema)
        let (text, digest, count) = try text(pieces)
        #expect(count == 3 && digest == SHA256.hexadecimal(of: text.utf8) && text.contains(words))
        #expect(pieces.piece(at: text.utf8.count) == nil && pieces.piece(at: -1) == nil)
        let inside = try #require(Array(text.utf8).firstIndex(of: 0xf0)) + 1
        #expect(pieces.piece(at: inside) == nil)
    }
}
