import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import Testing

@Suite("cleatd connect", .tags(.board))
struct RelayTests {
    private static let watch =
        #"printf '{"method":"dev.cleat.Settings.Watch","parameters":{"prefixes":["system/timezone"]},"more":true}\0'"#

    @Test("It ends when its client has disconnected, also without events")
    func clientGone() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            // The shell waits for all of the three.
            let result = try await board.script("{ \(Self.watch); } | \"$CLEATD\" connect | head -c 10 >/dev/null")
            #expect(result.errorText == "")
            try await board.eventually("the connection was gone") { try await agent.status().connections == 1 }
        }
    }

    @Test("It passes on the last answers before the service closed, and survives closed descriptors")
    func lastWords() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let answer = try await board.script("printf 'nonsense\\0more\\0' | \"$CLEATD\" connect; echo $?")
            #expect(answer.output == "0\n")
            let closed = try await board.script("\"$CLEATD\" connect <&- >&-; echo $?")
            #expect(closed.output == "0\n")
            #expect(try await agent.get("system/hostname") == nil)
        }
    }
}
