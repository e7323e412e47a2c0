import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// `cleat reapply` and `cleat adopt` on trial, with the real programs, below a root directory.
@Suite("Outside edits, reapplied or adopted on trial", .serialized)
struct DriftTrialTests {
    private static func hostname(_ board: Board) throws -> String {
        try contents(of: FilePath(board.root + "/etc/hostname"))
    }

    private static func drift(_ agent: RunningAgent) async throws -> [String] {
        try await agent.call(SystemInterface.Drift.self, .init()).drift.map(\.name)
    }

    @Test(
        "A reapply is reverted by abort, by a kill and abort, and by time; confirmed it stays; an id is used once")
    func reapply() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            try await agent.set(["system/hostname": "mine", "system/timezone": "UTC"])
            try board.directory.write("theirs\n", to: "root/etc/hostname")
            func begin(_ id: String, _ words: String...) async throws -> Board.Finished {
                try await board.script(
                    #"exec "$CLEAT" reapply /etc/hostname --id "$@""#,
                    [id] + (words.isEmpty ? ["--confirm", "5m"] : words))
            }
            func isTheirs(_ comment: Comment) async throws {
                #expect(try Self.hostname(board) == "theirs\n", comment)
                // The status reports it without a request for a comparison.
                #expect(try await agent.status().findings == 1, comment)
                #expect(try await Self.drift(agent) == ["/etc/hostname"], comment)
                #expect(try await agent.status().trial == nil, comment)
            }
            let first = try await begin("r1")
            #expect(
                first.status == 0 && ["/etc/hostname", "generation 2", "r1"].allSatisfy(first.output.contains),
                "\(first)")
            #expect(try Self.hostname(board) == "mine\n")
            #expect(try await Self.drift(agent).isEmpty, "what is on trial is its own affair")
            #expect(try await board.cleat("set", "system/timezone=Etc/GMT-1").status == 75)
            #expect(try await begin("other").status == 75)
            #expect(try await begin("r1").output.contains("generation 2"))
            #expect(try await board.cleat("abort", "r1").status == 0)
            try await isTheirs("aborted")
            #expect(try await begin("r1").output.contains("generation 2"))
            try await isTheirs("the id is known")

            #expect(try await begin("r2").status == 0)
            try await agent.stop(.kill)
            agent = try await board.start()
            #expect(try Self.hostname(board) == "mine\n")
            #expect(try await board.cleat("abort").output.contains("generation 5"))
            try await isTheirs("aborted after a kill")

            let late = try await begin("r3", "--confirm", "1s", "--wait")
            #expect(late.status == 10, "\(late)")
            try await isTheirs("not confirmed")

            let kept = try await begin("r4", "--until", "link:lo", "--wait")
            #expect(kept.status == 0 && kept.output.contains("generation 8"), "\(kept)")
            #expect(try Self.hostname(board) == "mine\n")
            #expect(try await Self.drift(agent).isEmpty)
            let log = try await board.cleat("log")
            #expect(["/etc/hostname", "link:lo"].allSatisfy(log.output.contains), "\(log)")
            #expect(try await begin("r4").output.contains("generation 8"))
            try await agent.stop(.kill)
            agent = try await board.start()
            #expect(try await Self.drift(agent).isEmpty)
            #expect(try await agent.get("system/hostname") == "mine")
            let nothing = try await board.cleat("reapply", "--all", "--confirm", "5m", "--wait")
            #expect(nothing.status == 0 && nothing.output == "nothing to write\n", "\(nothing)")
        }
    }

    @Test("An adoption is reverted; one with --as-is, and wrong words, are refused and change nothing")
    func adopt() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "mine"])
            try board.directory.write("theirs\n", to: "root/etc/hostname")
            let taken = try await board.cleat("adopt", "--all", "--confirm", "5m", "--id", "a1")
            #expect(taken.status == 0 && ["generation 2", "a1"].allSatisfy(taken.output.contains), "\(taken)")
            #expect(try await agent.get("system/hostname") == "theirs")
            #expect(try await board.cleat("abort").status == 0)
            #expect(try await agent.get("system/hostname") == "mine")
            #expect(try Self.hostname(board) == "theirs\n")
            #expect(try await Self.drift(agent) == ["/etc/hostname"])
            let kept = try await board.cleat("adopt", "--all", "--until", "link:lo", "--wait")
            #expect(kept.status == 0 && kept.output.contains("link:lo"), "\(kept)")
            #expect(try await Self.drift(agent).isEmpty)

            try board.directory.write("theirs\n", to: "root/etc/hostname", mode: 0o600)
            let left = try await board.cleat("adopt", "--all", "--confirm", "5m")
            #expect(left.status == 65 && left.errorText.contains("--confirm"), "\(left)")
            // Words are read alike on any machine.
            for words in [
                ["adopt", "--as-is", "--all", "--confirm", "5m"], ["adopt", "--all", "--id", "x"],
                ["reapply", "--all", "--id", "x"], ["reapply", "--all", "--comment", "x"],
                ["reapply", "--all", "--wait"],
                ["reapply", "--all", "--confirm", "2d"],
            ].prefix(TestMachine.rounds(6, briefly: 1)) {
                #expect(try await board.script(#"exec "$CLEAT" "$@""#, words).status == 64, "\(words)")
            }
            for (parameters, name) in [
                (["id": "x"], "dev.cleat.Settings.InvalidValue"), (["comment": "x"], "dev.cleat.Settings.InvalidValue"),
                (["confirm": 1], "dev.cleat.Settings.InvalidValue"),
                (["confirm": 5_000, "id": "a b"], "dev.cleat.Settings.InvalidValue"),
                (["until": ["x"]], "dev.cleat.Settings.InvalidValue"),
                (["confirm": 5_000, "names": ["/no"]], "dev.cleat.Settings.InvalidValue"),
                (["confirm": "5s"], "org.varlink.service.InvalidParameter"),
                (["confirm": 5_000, "id": "a1", "names": ["/etc/hostname"]], "dev.cleat.Settings.IdReused"),
            ] as [(JSONObject, String)] {
                for method in [SystemInterface.Reapply.name, SystemInterface.Adopt.name] {
                    let refusal = try await agent.refusal(method, parameters)
                    #expect(refusal.name == name, "\(method) \(parameters): \(refusal)")
                }
            }
            let status = try await agent.status()
            #expect(status.generation == 4 && status.trial == nil)
        }
    }
}
