import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// Changes on trial that probes confirm, with the real programs.
@Suite("Changes until probes hold, end to end", .tags(.board), .serialized)
struct ProbeTrialTests {
    /// Makes commands of `probes.d` out of shell scripts.
    private static func write(_ scripts: [String: String], to board: Board) throws {
        if !SystemCalls.exists(board.config + "/probes.d") { try SystemCalls.makeDirectory(board.config + "/probes.d") }
        for (name, script) in scripts {
            let program = try board.write(program: "probe-\(name)", script)
            try board.directory.write("{ run: ['\(program)'] }", to: "etc/probes.d/\(name).json5")
        }
    }

    @Test("Once all hold it is confirmed by itself, and the log names them; one that did not hold before has no veto")
    func kept() async throws {
        try await Board.with { board in
            try Self.write(["well": "exit 0"], to: board)
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            let listener = try Listener()
            defer { listener.close() }
            let port = "tcp:127.0.0.1:\(listener.port)"
            let set = try await board.cleat(
                "set", "system/hostname=after", "--id", "t1", "--comment", "moved", "--until", port, "--until",
                "command:well",
                "--until", "address:203.0.113.9", "--wait")
            #expect(set.status == 0, "\(set)")
            for words in [
                "`cleat confirm t1` keeps it within 2m", "it is confirmed once \(port), command:well hold",
                "address:203.0.113.9 did not hold before the change, and is not waited for: no link has it",
                "confirmed: generation 2 (id t1)", "confirmed by \(port), command:well",
            ] {
                #expect(set.lines.contains { $0.contains(words) }, "\(words): \(set)")
            }
            let log = try await board.cleat("log")
            #expect(["moved", "\(port), command:well"].allSatisfy(log.output.contains), "\(log)")
            #expect(try await agent.status().trial == nil)
            #expect(try await agent.get("system/hostname") == "after")
            let end = try await agent.call(TransactionsInterface.Wait.self, .init(id: "t1"))
            #expect(end.state == .confirmed && end.generation == 2)
            #expect(end.reason?.contains("\(port), command:well") == true, "\(end)")
            try await agent.stop(.kill)
            #expect(try await board.start().get("system/hostname") == "after")
        }
    }

    @Test("If one does not hold any more, it reverts at the end of its time, and the reason names it")
    func undone() async throws {
        try await Board.with { board in
            let file = board.root + "/etc/hostname"
            try Self.write(["name": "grep -q good \(file) || { echo not good; exit 4; }", "well": "exit 0"], to: board)
            let agent = try await board.start()
            try await agent.set(["system/hostname": "good"])
            let set = try await board.cleat(
                "set", "system/hostname=bad", "--until", "command:name", "--until", "command:well", "--confirm", "1s",
                "--wait", "--id", "u1")
            #expect(set.status == 10, "\(set)")
            #expect(set.output.contains("generation 3") && set.output.contains("command:name"), "\(set)")
            #expect(set.output.contains("not good"), "\(set)")
            #expect(try await board.cleat("log").output.contains("command:name"))
            // A later call gets the same answer.
            let end = try await agent.call(TransactionsInterface.Wait.self, .init(id: "u1"))
            #expect(end.state == .reverted && end.reason?.contains("command:name") == true, "\(end)")
            #expect(try await agent.get("system/hostname") == "good")
            #expect(try contents(of: FilePath(file)) == "good\n")
        }
    }

    @Test("A service that is killed meanwhile continues with them; confirming and aborting by hand still work")
    func restart() async throws {
        try await Board.with { board in
            // It holds the first time, before the change, and then not until the file is made.
            let (once, always) = (board.directory.appending("once"), board.directory.appending("always"))
            try Self.write(["file": "test -e \(always) || rm \(once)"], to: board)
            var agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            func begin(_ id: String, _ name: String) async throws {
                try board.directory.write("", to: "once")
                let set = try await board.cleat(
                    "set", "system/hostname=\(name)", "--id", id, "--until", "command:file", "--until",
                    "address:203.0.113.9",
                    "--confirm", "5m")
                #expect(set.status == 0, "\(set)")
            }
            try await begin("t1", "one")
            try await agent.stop(.kill)
            agent = try await board.start()
            let next = agent
            @Sendable func probes() async throws -> [ProbeReport]? {
                try await next.call(TransactionsInterface.Pending.self, .init()).trial?.probes
            }
            try await board.eventually("it was looked at") { try await probes()?.first?.state == .fails }
            #expect(try await probes()?.last?.state == .ignored)
            let waiting = board.loop.task { () async throws in
                try await next.call(TransactionsInterface.Wait.self, .init(id: "t1"))
            }
            try board.directory.write("", to: "always")
            let end = try await waiting.value
            #expect(end.state == .confirmed && end.reason?.contains("command:file") == true, "\(end)")
            #expect(try await agent.get("system/hostname") == "one")

            try SystemCalls.remove(always)
            try await begin("t2", "two")
            #expect(try await board.cleat("abort", "t2").status == 0)
            #expect(try await agent.get("system/hostname") == "one")
            try await begin("t3", "three")
            #expect(try await board.cleat("confirm", "t3").status == 0)
            #expect(try await agent.get("system/hostname") == "three")
            #expect(try await agent.status().trial == nil)
        }
    }

    @Test("Bad probes are refused by name before anything happens, and so is waiting for a missing trial")
    func refusals() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            let set = try await board.cleat(
                "set", "system/hostname=x", "--until", "eth0", "--until", "ping:router", "--until", "command:absent")
            #expect(set.status == 65 && set.output.isEmpty, "\(set)")
            for words in ["eth0", "absent.json5"] {
                #expect(set.errorText.contains(words), "\(set)")
            }
            let many = try await board.script(
                #"for i in $(seq 17); do set -- "$@" --until "link:p$i"; done; exec "$CLEAT" set system/hostname=x "$@""#
            )
            #expect(many.status == 65 && ["17", "16"].allSatisfy(many.errorText.contains), "\(many)")
            let volatile = try await board.cleat("set", "system/hostname=x", "--volatile", "--until", "link:lo")
            #expect(volatile.status == 65 && volatile.errorText.contains("--until"), "\(volatile)")
            #expect(try await board.cleat("set", "system/hostname=x", "--wait").status == 64)
            for words in [
                ["reset", "--yes", "--until", "x"], ["rollback", "--until", "x"],
                ["unset", "system/hostname", "--until", "x"],
            ] {
                #expect(try await board.script(#"exec "$CLEAT" "$@""#, words).status == 65, "\(words)")
            }
            for until in ["\"link:lo\"", "[1]", "{}"] {
                let text = #"{"changes":[{"path":"system/hostname","value":"x"}],"until":\#(until)}"#
                let refusal = try await agent.refusal(
                    "dev.cleat.Settings.Set", try #require(JSONReader.read(text).objectValue))
                #expect(refusal.name == "org.varlink.service.InvalidParameter", "\(refusal)")
            }
            for id in ["nothing", "", "a b"] {
                let refusal = try await agent.refusal("dev.cleat.Transactions.Wait", ["id": .string(id)])
                #expect(
                    ["dev.cleat.Transactions.NoTransaction", "dev.cleat.Transactions.UnknownTransaction"].contains(
                        refusal.name))
            }
            let status = try await agent.status()
            #expect(status.generation == 1 && status.trial == nil)
        }
    }

    @Test("Commands are read on reload; accepted and refused ones are in the status and the findings of doctor")
    func reload() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            #expect(try await agent.status().probes == nil)
            try Self.write(["late": "exit 0"], to: board)
            try board.directory.write("{ run: ['true'] }", to: "etc/probes.d/broken.json5")
            try await agent.reload()
            let status = try await agent.status()
            #expect(status.probes == ["late"], "\(status)")
            #expect(
                status.probeProblems?.count == 1 && status.probeProblems?[0].contains("broken.json5:1:9") == true,
                "\(status)")
            #expect(try await agent.findings().map(\.subject) == [board.config + "/probes.d/broken.json5"])
            #expect(try await board.cleat("status").output.contains("late"))
        }
    }
}

/// `cleat try`, with the real programs.
@Suite("A command while changes are on trial, end to end", .serialized)
struct TryTests {
    @Test(
        "It succeeds: the changes stay; it fails, is killed or is missing: they revert, and its status is returned"
    )
    func ends() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            let kept = try await board.cleat(
                "try", "system/hostname=one", "--id", "t1", "--", "sh", "-c",
                #"echo "$CLEAT_TRIAL $("$CLEAT" get system/hostname) $*""#, "sh", "--confirm", "x y")
            #expect(kept.status == 0 && kept.output == "t1 one --confirm x y\n", "\(kept)")
            #expect(["generation 2", "t1"].allSatisfy(kept.errorText.contains), "\(kept)")
            for (command, status) in [
                (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -TERM $$"], 143), (["./no-such-program"], 127),
                ([board.directory.text], 126), (["sh", "-c", "kill -INT $PPID; exit 0"], 130),
                (["sh", "-c", #""$CLEAT" set system/hostname=mine"#], 75),
            ] as [([String], Int32)] {
                let undone = try await board.script(#"exec "$CLEAT" try system/hostname=two -- "$@""#, command)
                #expect(undone.status == status, "\(command) \(undone)")
                #expect(undone.output.isEmpty, "\(undone)")
                #expect(try await agent.get("system/hostname") == "one")
                #expect(try await agent.status().trial == nil)
            }
            let file = try await board.script(
                #""$CLEAT" try --apply - -- "$CLEAT" get time/ntp/servers"#,
                input: "{time: {ntp: {servers: ['a.example']}}}")
            #expect(file.status == 0 && file.output.contains("a.example"), "\(file)")
            #expect(try await agent.get("time/ntp/servers") == ["a.example"])
            let same = try await board.cleat("try", "system/hostname=one", "--", "sh", "-c", "exit 3")
            #expect(same.status == 3, "\(same)")
        }
    }

    @Test("Reverted or confirmed by another client meanwhile, or its time over: the status reports it")
    func meanwhile() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            let late = try await board.cleat(
                "try", "--confirm", "1s", "system/hostname=two", "--", "sh", "-c",
                #"while "$CLEAT" get system/hostname | grep -q two; do sleep 0.1; done"#)
            #expect(late.status == 10, "\(late)")
            let aborted = try await board.cleat(
                "try", "system/hostname=two", "--", "sh", "-c", #""$CLEAT" abort "$CLEAT_TRIAL" >/dev/null"#)
            #expect(aborted.status == 10, "\(aborted)")
            let confirmed = try await board.cleat(
                "try", "system/hostname=three", "--", "sh", "-c", #""$CLEAT" confirm "$CLEAT_TRIAL" >/dev/null"#)
            #expect(confirmed.status == 0, "\(confirmed)")
            #expect(try await agent.get("system/hostname") == "three")
            let failed = try await board.cleat(
                "try", "system/hostname=four", "--", "sh", "-c", #""$CLEAT" confirm "$CLEAT_TRIAL" >/dev/null; exit 3"#)
            #expect(failed.status == 3, "\(failed)")
            #expect(try await agent.get("system/hostname") == "four")
        }
    }

    /// Writes its number once it runs; if it ignores signals, only SIGKILL ends it.
    private static func stubborn(_ words: String = "") -> [String] {
        ["sh", "-c", #"\#(words) sleep 300 & echo $! >"$D/child"; echo $$ >"$D/shell"; wait; wait; sleep 300"#]
    }

    private static func isRunning(_ file: String, _ board: Board) async throws -> Bool {
        try await board.script(#"test -s "$D/$1" && kill -0 "$(cat "$D/$1")" 2>/dev/null"#, [file]).status == 0
    }

    /// Waits until all of a command stands, as files with numbers say.
    private static func stands(_ files: [String], _ board: Board) async throws {
        try await board.eventually("the command ran") {
            try await board.script(#"for file; do test -s "$D/$file" || exit 1; done"#, files).status == 0
        }
    }

    @Test("A command that does not end is killed when the trial ends, with its children; services are not killed")
    func ended() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            let words = #"trap "" TERM; setsid sh -c 'echo $$ >"$D/service"; exec sleep 300 >/dev/null' &"#
            let trying = board.loop.task {
                try await board.script(
                    #"exec "$CLEAT" try --confirm 5m --id t1 system/hostname=two -- "$@""#, Self.stubborn(words))
            }
            try await Self.stands(["service", "child", "shell"], board)
            #expect(try await board.cleat("extend", "1s", "t1").status == 0)
            let late = try await trying.value
            #expect(late.status == 10, "\(late)")
            #expect(try await !Self.isRunning("shell", board))
            #expect(try await !Self.isRunning("child", board))
            #expect(try await Self.isRunning("service", board))
            _ = try await board.script(#"kill -KILL "$(cat "$D/service")""#)
            #expect(try await agent.status().trial == nil)
        }
    }

    @Test(
        "A signal ends the command, in a session of its own, too, and reverts the changes at once",
        arguments: [("TERM", []), ("HUP", []), ("INT", []), ("TERM", ["setsid"])] as [(String, [String])])
    func signals(_ signal: String, _ before: [String]) async throws {
        let status: Int32 = ["TERM": 143, "HUP": 129, "INT": 130][signal] ?? 0
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            let trying = board.loop.task {
                // Not in the background, where a shell has SIGINT ignored.
                try await board.script(
                    #"echo $$ >"$D/try"; exec "$CLEAT" try system/hostname=two -- "$@""#, before + Self.stubborn())
            }
            try await Self.stands(["child", "shell"], board)
            #expect(try await board.script(#"kill -\#(signal) "$(cat "$D/try")""#).status == 0)
            let ended = try await trying.value
            #expect(ended.status == status, "\(ended)")
            #expect(try await !Self.isRunning("shell", board))
            #expect(try await !Self.isRunning("child", board))
            #expect(try await agent.get("system/hostname") == "before")
            #expect(try await agent.status().trial == nil)
        }
    }

    @Test("Other changes than trials are refused before anything happens, and the command is not run")
    func refusals() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            for (words, status) in [
                (["--", "touch", board.directory.appending("ran")], 64), (["system/hostname=x"], 64),
                (["system/hostname=x", "--"], 64),
                (["system/hostname", "--", "touch", board.directory.appending("ran")], 64),
                (["no/such=1", "--", "touch", board.directory.appending("ran")], 65),
                (["--confirm", "2d", "system/hostname=x", "--", "touch", board.directory.appending("ran")], 64),
                (["--apply", "/no/such/file", "--", "touch", board.directory.appending("ran")], 1),
                (["--apply", "x", "system/hostname=x", "--", "touch", board.directory.appending("ran")], 64),
            ] as [([String], Int32)] {
                let refused = try await board.script(#"exec "$CLEAT" try "$@""#, words)
                #expect(refused.status == status, "\(words) \(refused)")
            }
            #expect(!SystemCalls.exists(board.directory.appending("ran")))
            #expect(try await agent.status().generation == 1)
        }
    }
}
