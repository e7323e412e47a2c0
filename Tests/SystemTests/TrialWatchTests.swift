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
        try await Board.with { board in
            let agent = try await board.start()
            let connection = try await agent.connect()
            let told = Marks()
            board.loop.task {
                try? await connection.stream(
                    SettingsInterface.Watch.name, ["prefixes": ["system/hostname"]]
                ) { reply in
                    told.append(try SettingsInterface.Watch.Reply(wire: reply))
                    return true
                }
            }
            try await board.eventually("the present was told") { told.words == ["? -"] }
            let set = try await board.cleat("set", "system/hostname=tried", "--confirm", "5m", "--id", "t")
            #expect(set.status == 0, "\(set)")
            try await board.eventually("it is on trial", showing: "\(told.words)") {
                told.words == ["? -", "tried t"]
            }
            #expect(try await board.cleat(isKept ? "confirm" : "abort", "t").status == 0)
            try await board.eventually("it is not on trial any more", showing: "\(told.words)") {
                told.words.last == (isKept ? "tried -" : "? -") && told.words.count > 2
            }
            // Each is reported once: a value that a slow reader misses counts as lost.
            #expect(told.lost == 0)
            connection.close()
        }
    }

    @Test("A change that is not on trial is told once, without a mark, though it is being applied meanwhile")
    func plain() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let connection = try await agent.connect()
            let told = Marks()
            board.loop.task {
                try? await connection.stream(
                    SettingsInterface.Watch.name, ["prefixes": ["system/hostname"]]
                ) { reply in
                    told.append(try SettingsInterface.Watch.Reply(wire: reply))
                    return true
                }
            }
            try await board.eventually("the present was told") { told.words == ["? -"] }
            #expect(try await board.cleat("set", "system/hostname=plain").status == 0)
            #expect(try await board.cleat("set", "system/hostname=last").status == 0)
            try await board.eventually("both were told", showing: "\(told.words)") {
                told.words.last?.hasPrefix("last") == true
            }
            #expect(told.words == ["? -", "plain -", "last -"])
            connection.close()
        }
    }
}

/// The values that a watch told, with the change on trial that each is part of.
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
