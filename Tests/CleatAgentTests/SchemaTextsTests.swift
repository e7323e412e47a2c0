import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatAgent

@Suite("The texts of schemas while they are fetched")
struct SchemaTextsTests {
    private static func schema(_ word: String) throws -> Schema {
        let description = JSONValue.string(String(repeating: word, count: 250_000))
        return try Schema(
            json: ["type": "object", "properties": ["a": ["type": "string", "description": description]]])
    }

    private static func with(
        patience: Duration = .seconds(60), _ body: @escaping @Sendable (EventLoop, SchemaTexts) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let worker = Worker()
            defer { worker.shutdown() }
            try await body(loop, SchemaTexts(loop: loop, worker: worker, patience: patience))
        }
    }

    @Test("All pieces are cut from one text, which is released with the last of them")
    func once() async throws {
        let schema = try Self.schema("𝄞")
        try await Self.with { _, texts in
            for round in 1...2 {
                var text = ""
                var offset: Int?
                var count = 0
                repeat {
                    let piece = try #require(try await texts.piece(at: offset ?? 0, of: schema, revision: 0))
                    text += piece.text
                    count += 1
                    offset = piece.next
                    #expect(await texts.isKeeping == (offset != nil))
                    if offset == nil { #expect(piece.digest == SHA256.hexadecimal(of: text.utf8)) }
                } while offset != nil
                #expect(count == 3)
                #expect(await texts.written == round)
            }
            _ = try await texts.piece(at: 0, of: .builtIn, revision: 1)
            #expect(await !texts.isKeeping)
        }
    }

    @Test("The text of one schema is never sent for another")
    func changed() async throws {
        let (first, second) = (try Self.schema("wxyz"), try Self.schema("zyxw"))
        try await Self.with { _, texts in
            let before = try #require(try await texts.piece(at: 0, of: first, revision: 0))
            let next = try #require(before.next)
            let after = try #require(try await texts.piece(at: next, of: second, revision: 1))
            #expect(after.digest != before.digest && after.text.contains("zyxwzyxw"))
            let streamed = try await texts.pieces(of: second, revision: 1)
            #expect(streamed.piece(at: next) == after)
            #expect(await texts.written == 2)
        }
    }

    @Test("A client that does not return leaves nothing behind")
    func leaving() async throws {
        let schema = try Self.schema("xyz")
        try await Self.with(patience: .milliseconds(20)) { loop, texts in
            _ = try await texts.piece(at: 0, of: schema, revision: 0)
            #expect(try await loop.eventually { await !texts.isKeeping })
            #expect(try await texts.piece(at: 1 << 40, of: schema, revision: 0) == nil)
            #expect(try await loop.eventually { await !texts.isKeeping })
        }
    }
}
