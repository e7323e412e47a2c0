import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Two who change settings at once, with the real programs.
@Suite("Editing, end to end", .serialized)
struct EditingEndToEndTests {
    @Test("The second of two editors gets the changes made meanwhile, and loses nothing")
    func twoEditors() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "first", "network/interfaces/eth0/mtu": 1_400])
            let editor = try board.write(
                program: "editor",
                #""$CLEAT" set system/hostname=theirs --comment beneath >/dev/null && sed -i 's/1400/1500/' "$1""#)
            let told = try await board.cleat(
                "edit", environment: ["EDITOR": editor, "TMPDIR": board.directory.text])
            #expect(told.status == 75, "\(told)")
            #expect(told.errorText.contains("system/hostname: first -> theirs"), "\(told)")
            #expect(told.errorText.contains("beneath"), "\(told)")
            #expect(try await agent.get("system/hostname") == "theirs")
            #expect(try await agent.get("network/interfaces/eth0/mtu") == 1_400)
            // What the person wrote is kept, and is applied without touching what the other one did below it.
            let kept = try await board.script(#"cat "$D"/cleat-edit-*/settings.json5"#)
            #expect(kept.output.contains("mtu: 1500"), "\(kept)")
            let quiet = try board.write(program: "quiet", #"sed -i 's/1400/1500/' "$1""#)
            let done = try await board.cleat(
                "edit", "network", environment: ["VISUAL": quiet, "EDITOR": "false", "TMPDIR": board.directory.text])
            #expect(done.status == 0, "\(done)")
            #expect(done.output.hasPrefix("network/interfaces/eth0/mtu: 1400 -> 1500\n"), "\(done)")
        }
    }

    @Test("An edit on trial is in force at once, stays when confirmed, also by a probe, and reverts when aborted")
    func onTrial() async throws {
        try await Board.with { board in
            try SystemCalls.makeDirectory(board.config + "/probes.d")
            let probe = try board.write(program: "probe-well", "exit 0")
            try board.directory.write("{ run: ['\(probe)'] }", to: "etc/probes.d/well.json5")
            let agent = try await board.start()
            let file = FilePath(board.root + "/etc/hostname")
            func edit(_ expression: String, _ words: [String]) async throws -> Board.Finished {
                let editor = try board.write(program: "editor", #"sed -i '\#(expression)' "$1""#)
                return try await board.script(
                    #"exec "$CLEAT" edit "$@""#, words,
                    environment: ["EDITOR": editor, "TMPDIR": board.directory.text])
            }
            try await agent.set(["system/hostname": "alpha", "network/interfaces/eth0/mtu": 1_400])

            let tried = try await edit("s/alpha/bravo/", ["--confirm", "5m", "--id", "e1", "--comment", "by hand"])
            #expect(tried.status == 0 && ["generation 2", "e1"].allSatisfy(tried.output.contains), "\(tried)")
            #expect(["cleat confirm e1", "5m"].allSatisfy(tried.output.contains), "\(tried)")
            #expect(try contents(of: file) == "bravo\n")
            let trial = try #require(try await agent.status().trial)
            #expect(trial.id == "e1" && trial.phase == .awaitingConfirm, "\(trial)")
            #expect(try await board.cleat("confirm", "e1").status == 0)
            #expect(try await agent.status().trial == nil)
            #expect(try await agent.get("system/hostname") == "bravo")

            let dropped = try await edit("s/bravo/charlie/", ["--confirm", "5m", "--id", "e2", "system"])
            #expect(dropped.status == 0 && dropped.output.contains("e2"), "\(dropped)")
            #expect(try contents(of: file) == "charlie\n")
            #expect(try await board.cleat("abort", "e2").status == 0)
            #expect(try contents(of: file) == "bravo\n")
            #expect(try await agent.get("system/hostname") == "bravo")

            let proved = try await edit("s/bravo/delta/", ["--until", "command:well", "--id", "e3", "--wait"])
            #expect(proved.status == 0 && proved.output.contains("command:well"), "\(proved)")
            #expect(try contents(of: file) == "delta\n")

            // A window that is none, and a probe that is none, change nothing.
            let wrong = try await edit("s/delta/echo/", ["--confirm", "2d"])
            #expect(wrong.status == 64 && wrong.output.isEmpty, "\(wrong)")
            let absent = try await edit("s/delta/echo/", ["--until", "command:absent"])
            #expect(absent.status == 65 && absent.errorText.contains("absent.json5"), "\(absent)")
            try await agent.stop(.kill)
            let next = try await board.start()
            #expect(try await next.get("system/hostname") == "delta")
            #expect(try await next.get("network/interfaces/eth0/mtu") == 1_400)
            let status = try await next.status()
            #expect(status.generation == 5 && status.trial == nil, "\(status)")
            let log = try await board.cleat("log")
            #expect(log.output.contains("command:well"), "\(log)")
            let generations = try await next.call(SettingsInterface.Log.self, .init()).generations
            #expect(generations.contains { $0.comment?.contains("by hand") == true }, "\(generations)")
            #expect(generations.count { $0.state == .reverted } == 1, "\(generations)")
        }
    }

    @Test("An applied export changes nothing")
    func exportAndApply() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set([
                "system/hostname": "pump-7", "network/interfaces/eth0.100/mtu": 1_400,
                "network/interfaces/eth1": [:], "time/ntp/servers": ["a.example"],
            ])
            for (arguments, whole) in [
                ([], ""), (["--format", "json"], ""), (["network"], "--prefix network"),
            ] as [([String], String)] {
                let result = try await board.script(
                    #""$CLEAT" export "$@" >$D/f && "$CLEAT" apply $D/f && "$CLEAT" apply --replace $WHOLE $D/f"#,
                    arguments, environment: ["WHOLE": whole])
                #expect(result.status == 0, "\(result)")
                #expect(result.output == "nothing changed\nnothing changed\n", "\(result)")
            }
        }
    }

    @Test("Concurrent merges lose nothing")
    func applyAtOnce() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let result = try await board.script(
                """
                for i in 1 2 3 4; do
                    echo "{ network: { interfaces: { eth$i: { mtu: 140$i } } } }" | "$CLEAT" apply - >/dev/null &
                    pids="$pids $!"
                done
                for p in $pids; do wait $p || echo failed; done
                "$CLEAT" export --format json
                """)
            let value = try JSONReader.read(result.output)
            for number in 1...4 {
                #expect(
                    value["network"]?["interfaces"]?["eth\(number)"]?["mtu"] == .integer(Int64(1400 + number)),
                    "\(result)")
            }
        }
    }
}
