import CleatAPI
import CleatIO
import CleatJSON
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

/// Changes on trial, with the real programs.
@Suite("Changes on trial, end to end", .tags(.board), .serialized)
struct TrialTests {
    @Test("It is in force at once, marked in replies, and stays once it is confirmed, also over a restart")
    func confirmed() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before", "network/interfaces/eth0/mtu": 1400])
            let set = try await board.cleat("set", "system/hostname=after", "--confirm", "5m", "--id", "t1")
            #expect(set.status == 0 && ["generation 2", "t1"].allSatisfy(set.output.contains), "\(set)")
            #expect(["cleat confirm t1", "5m"].allSatisfy(set.output.contains), "\(set)")

            let read = try await agent.call(SettingsInterface.Get.self, .init(path: "system/hostname"))
            #expect(read.setting.value == "after" && read.setting.pending == "t1" && read.generation == 2)
            let other = try await agent.call(SettingsInterface.Get.self, .init(path: "network/interfaces/eth0/mtu"))
            #expect(other.setting.pending == nil)
            let status = try await agent.status()
            #expect(status.trial?.id == "t1" && status.trial?.phase == .awaitingConfirm)
            #expect((240_000...300_000).contains(status.trial?.remaining ?? 0), "\(String(describing: status.trial))")
            #expect(try await agent.generation(2)?.state == .pending)

            let again = try await board.cleat("set", "system/hostname=after", "--confirm", "5m", "--id", "t1")
            #expect(again.status == 0 && again.output.contains("t1"), "\(again)")
            for _ in 0..<2 {
                let confirm = try await board.cleat("confirm", "t1")
                #expect(
                    confirm.status == 0 && ["generation 2", "t1"].allSatisfy(confirm.output.contains), "\(confirm)")
            }
            #expect(try await agent.status().trial == nil)
            let free = try await agent.call(SettingsInterface.Get.self, .init(path: "system/hostname"))
            #expect(free.setting.pending == nil && free.setting.value == "after")
            try await agent.stop(.kill)
            let next = try await board.start()
            #expect(try await next.get("system/hostname") == "after")
            #expect(try await next.status().generation == 2)
            let late = try await board.cleat("abort", "t1")
            #expect(late.status == 75, "\(late)")
        }
    }

    @Test("Unconfirmed: everything is as before, as a generation with the reason, and watchers are notified")
    func windowEnds() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before", "time/ntp/servers": ["a.example"]])
            let wanted = try await board.cleat("export", "--output", "json").output
            let events = try await EventCollector(agent)
            let set = try await board.script(
                #""$CLEAT" apply --replace - --confirm 2s --id t1 && "$CLEAT" export >$D/trial"#,
                input: "{system: {hostname: 'after'}}")
            #expect(set.status == 0, "\(set)")
            let during = try contents(of: FilePath(board.directory.appending("trial")))
            #expect(during.contains("after") && !during.contains("a.example"), "\(during)")
            try await board.eventually("it was undone", showing: "\(events.events)") {
                events.told(["change-pending t1", "change-reverted t1"], .agent)
            }
            let undone = try #require(events.events.last { $0.action == "change-reverted" })
            #expect(undone.properties["REASON"]?.contains("2s") == true, "\(undone)")
            #expect(events.told(["set system/hostname", "set system/hostname"], .setting))
            #expect(events.told(["unset time/ntp/servers", "set time/ntp/servers"], .setting))
            events.close()
            #expect(try await board.cleat("export", "--output", "json").output == wanted)
            let status = try await agent.status()
            #expect(status.generation == 3 && status.trial == nil)
            let log = try await board.cleat("log")
            #expect(log.output.contains("(reverted)"), "\(log)")
            let difference = try await board.cleat("diff", "1", "3", "--output", "json").output
            #expect(try JSONReader.read(difference)["changes"]?.arrayValue?.isEmpty == true, "\(difference)")
            // Each repetition reports that it is not in force, with and without `--wait`.
            for words in [[], ["--wait"]] {
                let repeated = try await board.script(
                    #"exec "$CLEAT" apply --replace - --confirm 2s --id t1 "$@""#, words,
                    input: "{system: {hostname: 'after'}}")
                #expect(repeated.status == 10, "\(repeated)")
            }
            let retry = try await board.cleat("set", "system/hostname=after", "--id", "t1")
            #expect(retry.status == 75, "\(retry)")
            let confirm = try await board.cleat("confirm", "t1")
            #expect(confirm.status == 75, "\(confirm)")
            try await agent.set(["system/hostname": "free"])
        }
    }

    @Test("While it is on trial every other write is refused by name, owner, time and verbs, and reading continues")
    func refusals() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["time/ntp/servers": ["a.example"], "system/hostname": "before"])
            #expect(try await board.cleat("set", "system/hostname=x", "--confirm", "5m", "--id", "t1").status == 0)
            for words in [
                ["set", "system/timezone=UTC"], ["set", "--volatile", "system/timezone=UTC"],
                ["unset", "system/hostname"], ["add", "time/ntp/servers", "b.example"], ["reset", "--yes"],
                ["remove", "time/ntp/servers", "a.example"], ["rollback", "0"],
                ["set", "system/timezone=UTC", "--confirm", "1m", "--id", "t2"],
            ] {
                let refused = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(refused.status == 75 && refused.output.isEmpty, "\(words) \(refused)")
                for word in ["t1", "'cleat confirm t1'", "'cleat abort t1'", "on trial for another"] {
                    #expect(refused.errorText.contains(word), "\(words) \(refused)")
                }
            }
            #expect(try await board.cleat("set", "--check", "system/timezone=UTC").status == 0)
            #expect(try await board.cleat("list").output.contains("system/hostname"))
            for verb in ["confirm", "abort"] {
                let wrong = try await board.refusal(verb, "t2")
                #expect(wrong.status == 65 && wrong.code == "UnknownTransaction", "\(wrong)")
                #expect(wrong.parameters["id"] == "t2" && wrong.message.contains("t1"), "\(wrong)")
            }
            let extended = try await board.cleat("extend", "10m", "t1")
            #expect(extended.status == 0 && extended.output.contains("10m"), "\(extended)")
            #expect(try await agent.status().trial?.remaining ?? 0 > 595_000)
            #expect(try await board.cleat("extend", "25h").status == 64)
            #expect(try await board.cleat("extend", "999ms").status == 64)
            for _ in 0..<2 {
                let aborted = try await board.cleat("abort", "t1")
                #expect(aborted.status == 0, "\(aborted)")
            }
            #expect(try await agent.get("system/hostname") == "before")
            for words in [["confirm"], ["abort"], ["extend", "1m"], ["extend", "1m", "t1"], ["confirm", "nothing"]] {
                let none = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(none.status == 75, "\(words) \(none)")
            }
            let both = try await board.refusal("set", "system/hostname=x", "--volatile", "--confirm", "1m")
            #expect(both.status == 65 && both.problems == [["confirm", "confirm"]], "\(both)")
            for window in ["0s", "2d", "soon", "-1s"] {
                #expect(try await board.cleat("set", "system/hostname=x", "--confirm=\(window)").status == 64)
            }
            #expect(try await agent.status().generation == 3)
        }
    }

    @Test("Killed while on trial, its time continues in the next run; an expired one is reverted at once")
    func restart() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            #expect(try await board.cleat("set", "system/hostname=one", "--confirm", "5m", "--id", "t1").status == 0)
            for signal in [Signal.kill, .terminate] {
                try await agent.stop(signal)
                agent = try await board.start()
                let trial = try await agent.status().trial
                #expect(
                    trial?.id == "t1" && (1...300_000).contains(trial?.remaining ?? 0), "\(String(describing: trial))")
                #expect(try await agent.get("system/hostname") == "one")
            }
            #expect(try await board.cleat("confirm").status == 0)
            #expect(try await board.cleat("set", "system/hostname=two", "--confirm", "1s", "--id", "t2").status == 0)
            let end = BootTime.now().advanced(by: .seconds(1))
            try await agent.stop(.kill)
            // The service is not running when the time is over.
            try await board.eventually("its time was over") { BootTime.now() > end }
            agent = try await board.start()
            let next = agent
            try await board.eventually("it was undone") { try await next.status().trial == nil }
            #expect(try await agent.get("system/hostname") == "one")
        }
    }

    @Test("A rollback on trial is in force at once, reverts when aborted, stays when confirmed, and outlasts a kill")
    func rollback() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            let file = FilePath(board.root + "/etc/hostname")
            try await agent.set(["system/hostname": "one"])
            try await agent.set(["system/hostname": "two"])
            for (id, verb, kept) in [("r1", "abort", "two"), ("r2", "confirm", "one")] {
                let back = try await board.cleat("rollback", "1", "--confirm", "5m", "--id", id)
                #expect(back.status == 0 && back.output.contains(id), "\(back)")
                #expect(try contents(of: file) == "one\n")
                #expect(try await agent.get("system/hostname") == "one")
                #expect(try await agent.status().trial?.id == id)
                #expect(try await board.cleat(verb, id).status == 0)
                #expect(try contents(of: file) == "\(kept)\n")
                #expect(try await agent.get("system/hostname") == .string(kept))
                #expect(try await agent.status().trial == nil)
            }
            // Without a number it undoes the last one; killed meanwhile, it is still on trial, and can be aborted.
            let last = try await board.change("rollback", "--confirm", "5m", "--id", "r3")
            #expect(last.state == .pending && last.changes.map(\.path) == ["system/hostname"], "\(last)")
            #expect(last.changes.first?.old == "one" && last.changes.first?.new == "two", "\(last)")
            #expect(try contents(of: file) == "two\n")
            try await agent.stop(.kill)
            agent = try await board.start()
            #expect(try await agent.status().trial?.id == "r3")
            #expect(try await board.cleat("abort", "r3").status == 0)
            #expect(try contents(of: file) == "one\n")
            let status = try await agent.status()
            #expect(status.generation == 7 && status.trial == nil, "\(status)")
            let log = try await agent.call(SettingsInterface.Log.self, .init()).generations
            #expect(log.count { $0.state == .reverted } == 2, "\(log)")
        }
    }

    @Test("In another boot it is reverted before any client is answered, and the confirmed state is in force")
    func boot() async throws {
        try await Board.with { board in
            let first = try await board.start()
            try await first.set(["system/hostname": "before"])
            #expect(try await board.cleat("set", "system/hostname=one", "--confirm", "1d", "--id", "t1").status == 0)
            try await first.stop(.kill)
            let executor = ThreadExecutor(name: "test")
            let store = try await SettingsStore.open(
                directory: FilePath(board.directory.appending("state")), executor: executor)
            try await store.extend(to: TrialDeadline(bootID: "another", bootTime: .max))
            try await store.close(.now())
            let second = try await board.start()
            #expect(try await second.get("system/hostname") == "before")
            #expect(try await second.status().generation == 3)
            #expect(try await board.cleat("log").output.contains("t1"))
            // The log reports the revert, and the generation in force.
            let log = try await second.stop().outputText
            #expect(
                log.split(separator: "\n").contains { line in ["t1 of root", "generation 3"].allSatisfy(line.contains)
                },
                "\(log)")
            #expect(log.contains("revert generation=3 id=t1 author=cleatd paths=system/hostname"), "\(log)")
            #expect(log.contains("generation 3\n"), "\(log)")
        }
    }
}
