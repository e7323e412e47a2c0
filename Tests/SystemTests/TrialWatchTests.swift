import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import Synchronization
import Testing

@Suite("Watches and a change on trial", .serialized)
struct TrialWatchTests {
    @Test("They are notified when a value is on trial, and when it no longer is", arguments: [true, false])
    func marks(isKept: Bool) async throws {
        try await Self.watching { board, seen in
            let set = try await board.cleat("set", "system/hostname=tried", "--confirm", "5m", "--id", "t")
            #expect(set.status == 0, "\(set)")
            try await board.eventually("it is on trial", showing: "\(seen.words)") {
                seen.words == ["? -", "tried t"]
            }
            #expect(try await board.cleat(isKept ? "confirm" : "abort", "t").status == 0)
            try await board.eventually("it is not on trial any more", showing: "\(seen.words)") {
                seen.words.last == (isKept ? "tried -" : "? -") && seen.words.count > 2
            }
            // Each is reported once: a value that a slow reader misses counts as lost.
            #expect(seen.lost == 0)
        }
    }

    @Test("A change that is not on trial is reported once, without a mark, though it is being applied meanwhile")
    func plain() async throws {
        try await Self.watching { board, seen in
            #expect(try await board.cleat("set", "system/hostname=plain").status == 0)
            #expect(try await board.cleat("set", "system/hostname=last").status == 0)
            try await board.eventually("both are reported", showing: "\(seen.words)") {
                seen.words.last?.hasPrefix("last") == true
            }
            #expect(seen.words == ["? -", "plain -", "last -"])
        }
    }

    /// Runs a test with a watch of the host name, after the present value is reported.
    private static func watching(
        _ body: @escaping @Sendable (Board, Marks) async throws -> Void
    ) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let connection = try await agent.connect()
            let seen = Marks()
            board.loop.task {
                try? await connection.stream(
                    SettingsInterface.Watch.name, ["prefixes": ["system/hostname"]]
                ) { reply in
                    seen.append(try SettingsInterface.Watch.Reply(wire: reply))
                    return true
                }
            }
            try await board.eventually("the present value is reported") { seen.words == ["? -"] }
            try await body(board, seen)
            connection.close()
        }
    }
}

/// The values that a watch reports, with the change on trial that each is part of.
private final class Marks: Sendable {
    private let state = Mutex<[String]>([])
    private let left = Mutex(Int64(0))

    var lost: Int64 { left.withLock { $0 } }

    var words: [String] { state.withLock { $0 } }

    func append(_ reply: SettingsInterface.Watch.Reply) {
        left.withLock { $0 += reply.lost ?? 0 }
        state.withLock { words in
            words += reply.settings.map { "\($0.value?.stringValue ?? "?") \($0.pending ?? "-")" }
        }
    }
}
