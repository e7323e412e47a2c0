import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Two who want different things at the same instant, with the real programs.
@Suite("Two clients at once, end to end", .serialized)
struct TwoClientsTests {
    private static let rounds = TestMachine.rounds(10, briefly: 2)

    /// Runs two commands at the same time, each to its end.
    private static func race(
        _ board: Board, _ first: [String], _ second: [String]
    ) async throws -> [Board.Finished] {
        let other = board.loop.task { () async throws in try await board.script(#"exec "$CLEAT" "$@""#, second) }
        let one = try await board.script(#"exec "$CLEAT" "$@""#, first)
        return [one, try await other.value]
    }

    /// Compares the values that are read, the file below the root and the history with the reported ones.
    private static func agree(
        _ name: String, _ generation: Int64, trial: String? = nil, on agent: RunningAgent
    ) async throws {
        #expect(try await agent.get("system/hostname") == .string(name))
        #expect(try contents(of: FilePath(agent.board.root + "/etc/hostname")) == name + "\n")
        let status = try await agent.status()
        #expect(status.generation == generation && status.trial?.id == trial, "\(status)")
    }

    @Test("Of two changes on trial one is made; the other is refused by the first one's name, and changes nothing")
    func changes() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            var (present, generation) = ("before", Int64(1))
            for round in 0..<Self.rounds {
                let ids = ["a\(round)", "b\(round)"]
                let words = ids.map { ["set", "system/hostname=\($0)", "--confirm", "5m", "--id", $0] }
                let ends = try await Self.race(board, words[0], words[1])
                #expect(ends.map(\.status).sorted() == [0, 75], "\(ends)")
                let first = try #require(ends.firstIndex { $0.status == 0 }, "\(ends)")
                let (winner, loser, refused) = (ids[first], ids[1 - first], ends[1 - first])
                #expect(refused.output.isEmpty && refused.errorText.contains("'cleat abort \(winner)'"), "\(refused)")
                generation += 1
                try await Self.agree(winner, generation, trial: winner, on: agent)
                if round == Self.rounds - 1 {
                    try await agent.stop(.kill)
                    agent = try await board.start()
                    try await Self.agree(winner, generation, trial: winner, on: agent)
                }
                let verb = round.isMultiple(of: 2) ? "abort" : "confirm"
                #expect(try await board.cleat(verb, winner).status == 0)
                if verb == "abort" { generation += 1 } else { present = winner }
                try await Self.agree(present, generation, on: agent)
                // Nothing was ever made under the other one's name.
                let log = try await agent.call(SettingsInterface.Log.self, .init(limit: 4)).generations
                #expect(log.contains { $0.id == winner } && !log.contains { $0.id == loser }, "\(log)")
            }
        }
    }

    @Test("Of a confirmation and an abort of one change one wins, and all results agree, after a kill, too")
    func ends() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            var (present, generation) = ("before", Int64(1))
            for round in 0..<Self.rounds {
                let id = "t\(round)"
                let set = try await board.cleat("set", "system/hostname=\(id)", "--confirm", "5m", "--id", id)
                try #require(set.status == 0, "\(set)")
                generation += 1
                // Now the one, now the other is started first.
                let verbs = round.isMultiple(of: 2) ? ["confirm", "abort"] : ["abort", "confirm"]
                let ends = try await Self.race(board, [verbs[0], id], [verbs[1], id])
                #expect(ends.map(\.status).sorted() == [0, 75], "\(ends)")
                let first = try #require(ends.firstIndex { $0.status == 0 }, "\(ends)")
                let isKept = verbs[first] == "confirm"
                let state: Generation.State? = isKept ? nil : .reverted
                let number = generation
                if isKept { present = id } else { generation += 1 }
                for isAfterKill in [false, true] {
                    if isAfterKill {
                        try await agent.stop(.kill)
                        agent = try await board.start()
                    }
                    try await Self.agree(present, generation, on: agent)
                    let log = try await agent.call(SettingsInterface.Log.self, .init(limit: 2)).generations
                    let made = try #require(log.first { $0.id == id }, "\(log)")
                    #expect(made.number == number && made.state == state, "\(made)")
                }
            }
        }
    }
}
