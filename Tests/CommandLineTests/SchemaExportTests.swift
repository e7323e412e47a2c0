import CleatAPI
import CleatHash
import CleatJSON
import CleatSettings
import CleatVarlink
import Synchronization
import Testing

@testable import cleat

/// Tests of the schema that `cleat schema export` prints.
@Suite struct SchemaExportTests {
    private typealias Method = SettingsInterface.Schema

    private static func piece(_ text: String, from offset: Int, bytes: Int) -> Method.Reply {
        let all = Array(text.utf8)
        let end = min(all.count, offset + bytes)
        return Method.Reply(
            text: String(decoding: all[offset..<end], as: UTF8.self), next: end < all.count ? end : nil,
            digest: SHA256.hexadecimal(of: all))
    }

    @Test func piecesBecomeOneSchema() async throws {
        let text = JSONWriter.write(Schema.builtIn.json)
        try await CannedBoard.serving([
            Method.name: { call in
                let offset = call.parameters["offset"]?.intValue ?? 0
                return Self.piece(text, from: offset, bytes: 1000).wire
            }
        ]) { board in
            let result = try await board.cleat("schema", "export")
            #expect(result.status == 0, "\(result.errorText)")
            #expect(result.output == JSONWriter.write(Schema.builtIn.json, style: .pretty) + "\n")
            let line = try await board.cleat("schema", "export", "--output", "json-lines")
            #expect(line.output == text + "\n")
            let own = try await board.cleat(
                ["schema", "export", "--builtin"], environment: ["CLEAT_SOCKET": "/nowhere"])
            #expect(own.output == result.output)
            #expect(try Schema(json: try JSONReader.read(own.output)).json == Schema.builtIn.json)
        }
    }

    /// A schema that changes during the transfer is fetched again; one that never stays the same is an error.
    @Test func aChangeMeanwhileStartsAgain() async throws {
        let calls = Mutex(0)
        try await CannedBoard.serving([
            Method.name: { call in
                let number = calls.withLock {
                    $0 += 1
                    return $0
                }
                let text = number < 2 ? #"{"title": "before"}"# : #"{"title": "beyond"}"#
                return Self.piece(text, from: call.parameters["offset"]?.intValue ?? 0, bytes: 12).wire
            }
        ]) { board in
            let result = try await board.cleat("schema", "export", "--output", "json-lines")
            #expect(result.output == "{\"title\":\"beyond\"}\n")
            #expect(calls.withLock { $0 } == 4)
        }
        let turns = Mutex(0)
        try await CannedBoard.serving([
            Method.name: { call in
                let turn = turns.withLock {
                    $0 += 1
                    return $0
                }
                let offset = call.parameters["offset"]?.intValue ?? 0
                return Self.piece("{\"t\": \(turn % 10)}     ", from: offset, bytes: 6).wire
            }
        ]) { board in
            let result = try await board.cleat("schema", "export", "--output", "json-lines")
            #expect(result.status == 75)
            #expect(result.output.isEmpty)
            #expect(result.error == ["Conflict", "speak"], "\(result)")
        }
    }

    @Test(
        arguments: [
            (.init(text: "{}", digest: "00"), "has the digest"),
            (.init(text: "{", digest: SHA256.hexadecimal(of: "{".utf8)), "is not valid JSON"),
            (.init(text: "{}", next: 7, digest: "00"), "continues at byte 7, though 2 bytes are here"),
            (.init(text: "", next: 0, digest: "00"), "continues at byte 0"),
        ] as [(SettingsInterface.Schema.Reply, String)])
    func whatIsGarbledIsRefused(_ reply: SettingsInterface.Schema.Reply, _ message: String) async throws {
        try await CannedBoard.serving([Method.name: { _ in reply.wire }]) { board in
            let result = try await board.cleat("schema", "export")
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.errorText.contains(message), "\(result.errorText)")
        }
    }
}
