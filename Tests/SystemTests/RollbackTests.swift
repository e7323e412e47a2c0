import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// Going back in history, with the real programs.
@Suite("Rollback, end to end", .serialized)
struct RollbackTests {
    /// Seen before: a rollback without a number undid what a hook had changed, and not what its caller had.
    @Test(
        "Without a number it reverts the caller's own newest change; the author of a newer one is named", .tags(.fault),
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func ownChange() async throws {
        try await Board.with { board in
            let program = try board.write(
                program: "program", "exec \(TestPlaces.directory)/cleat set system/timezone=UTC")
            try board.write(
                hook: "zone", #"{ match: { source: "setting", subject: "network/*" }, run: ["\#(program)"] }"#)
            let agent = try await board.start(try await board.makeGroup().options)
            try await board.admitStrangers()
            let op = ChildCommand.User(uid: 65_534, gid: 61_234)
            try await agent.set(["system/hostname": "one"])
            let theirs = try await board.call(
                "dev.cleat.Settings.Set", #"{"changes":[{"path":"network/interfaces/a/mtu","value":1400}]}"#, as: op)
            #expect(theirs["error"] == nil, "\(theirs)")
            try await board.eventually("the hook has changed something") { try await agent.status().generation == 3 }
            let refused = try await board.cleat("rollback")
            #expect(refused.status == 75, "\(refused)")
            for words in ["generation 1 is your newest change", "3 of hook:zone", "2 of ", "2 reverts the newest"] {
                #expect(refused.errorText.contains(words), "\(words): \(refused)")
            }
            #expect(try await agent.status().generation == 3)
            let stranger = try await board.call("dev.cleat.Settings.Rollback", "{}", as: op)
            #expect(stranger["error"] == "dev.cleat.Settings.Conflict", "\(stranger)")
            // What it says is what comes.
            #expect(try await board.cleat("rollback", "2").status == 0)
            #expect(try await agent.get("system/timezone") == nil)
            #expect(try await board.cleat("rollback").status == 0)
            #expect(try await agent.get("system/timezone") == "UTC")
        }
    }

    @Test("It is one transaction with an id, an expected state, a check before, and an entry in the log")
    func transaction() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "one"])
            try await agent.set(["system/hostname": "two"])

            let check = try await board.change("rollback", "1", "--check")
            #expect(check.state == .checked && check.changes.map(\.path) == ["system/hostname"], "\(check)")
            #expect(check.changes.first?.old == "two" && check.changes.first?.new == "one", "\(check)")
            #expect(try await agent.get("system/hostname") == "two")

            let late = try await board.cleat("rollback", "1", "--expect", "1")
            #expect(late.status == 75, "\(late)")
            #expect(try await agent.get("system/hostname") == "two")

            let done = try await board.change("rollback", "1", "--id", "undo-1")
            #expect(done.state == .confirmed && done.generation == 3 && done.id == "undo-1", "\(done)")
            let again = try await board.change("rollback", "1", "--id", "undo-1")
            #expect(again.state == .repeated && again.generation == 3, "\(again)")
            let other = try await board.refusal("rollback", "2", "--id", "undo-1")
            #expect(other.status == 75 && other.code == "IdReused" && other.parameters["id"] == "undo-1", "\(other)")

            let shown = try await board.cleat("show")
            #expect(shown.lines.first?.hasPrefix("#3") == true, "\(shown)")
            let third = try #require(try await agent.generation(3))
            #expect(third.id == "undo-1" && third.comment?.hasSuffix("1") == true, "\(third)")
            #expect(third.changes.first?.old == "two" && third.changes.first?.new == "one", "\(third)")
            let second = try JSONReader.read(try await board.cleat("show", "2", "--output", "json").output)
            #expect(second["number"] == 2 && second["store"]?.stringValue?.isEmpty == false, "\(second)")

            // The results outlast the service: those of a confirmed change, and of a reverted one and its revert.
            #expect(try await board.cleat("set", "system/hostname=tried", "--confirm", "60s", "--id", "t").status == 0)
            try await agent.stop(.kill)
            let next = try await board.start()
            #expect(try await board.cleat("show").output.contains("/etc/hostname"))
            #expect(try await board.cleat("abort", "t").status == 0)
            try await next.stop()
            _ = try await board.start()
            for number in ["1", "2", "3", "4", "5"] {
                let shown = try await board.cleat("show", number)
                let lines = shown.lines.filter { $0.hasPrefix("    wrote /etc/hostname") }
                #expect(lines.count == 1, "\(shown)")
            }
            let last = try JSONReader.read(try await board.cleat("show", "--output", "json").output)
            #expect(last["results"]?.arrayValue?.first?["adapter"] == "host-name", "\(last)")
        }
    }

    @Test("It goes past a rename, and leaves and names what no schema knows any more")
    func pastSchemas() async throws {
        try await Board.with { board in
            func schema(_ name: String, _ rename: String = "") -> String {
                #"{ "type": "object", "properties": { "\#(name)": { "type": "object", "properties": "#
                    + #"{ "x": { "type": "integer"\#(rename) } } } } }"#
            }
            func cleat(_ words: String) async throws -> Board.Finished {
                let done = try await board.script(#"exec "$CLEAT" "# + words)
                #expect(done.status == 0, "\(words): \(done)")
                return done
            }
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/p.json", schema("p"))
            try board.write(vendor: "schema.d/q.json", schema("q"))
            let agent = try await board.start()
            try await agent.set(["system/hostname": "one", "p/x": 1, "q/x": 1])
            try await agent.set(["system/hostname": "two", "p/x": 2, "q/x": 2])
            try board.write(vendor: "schema.d/p.json", schema("k", #", "x-cleat-renamed-from": "p/x""#))
            try await agent.reload()
            let first = try await cleat("rollback --check")
            let lines = ["k/x: unset -> 1", "p/x: 2 -> unset", "q/x: 2 -> 1", "system/hostname: two -> one"]
            #expect(first.lines.prefix(4) == lines[...], "\(first)")
            // The next commit gives the value its new name in the store.
            try await agent.set(["system/hostname": "three"])
            let back = try await cleat("rollback")
            #expect(back.lines.first == "system/hostname: three -> two", "\(back)")
            #expect(try await agent.get("k/x") == 2)

            _ = try await board.script(#"rm "$D/root/usr/lib/cleat/schema.d/q.json""#)
            try await agent.reload()
            let note = "unchanged, since no schema defines it any more: q/x"
            for words in ["plan --rollback 1", "plan --rehearse --rollback 1", "rollback 1 --check", "rollback 1"] {
                let told = try await cleat(words)
                #expect(told.output.contains(note) && told.output.contains("k/x: 2 -> 1"), "\(words): \(told)")
            }
            #expect(try await agent.get("k/x") == 1)
            #expect(try await agent.get("system/hostname") == "one")
            for words in ["plan --rollback 1", "rollback 1"] {
                let told = try await cleat(words)
                #expect(told.output.contains("nothing") && told.output.contains(note), "\(words): \(told)")
            }
            try board.write(vendor: "schema.d/q.json", schema("q"))
            try await agent.reload()
            #expect(try await agent.get("q/x") == 2)
        }
    }

    @Test("Missing, locked and undefined settings are refused, and nothing changes")
    func refusals() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            for words in [["show"], ["rollback"], ["rollback", "--check"], ["plan", "--rollback"]] {
                let refused = try await board.refusal(words)
                #expect(refused.status == 65 && refused.code == "UnknownGeneration", "\(refused)")
                #expect(refused.parameters["generation"] == 0, "\(refused)")
            }
            try await agent.set(["system/hostname": "one"])
            for number in ["2", "-1", "9223372036854775807"] {
                let refused = try await board.refusal("rollback", "--", number)
                #expect(refused.status == 65 && refused.code == "UnknownGeneration", "\(refused)")
                #expect(refused.parameters["generation"] == Int64(number).map(JSONValue.integer), "\(refused)")
                #expect(try await board.cleat("show", "--", number).status == 65)
            }
            #expect(try await board.cleat("rollback", "x").status == 64)
            #expect(try await agent.status().generation == 1)
            try await agent.set(["system/hostname": "two"])
            _ = try await board.script("mkdir -p $D/etc/locks.d")
            try board.write(admin: "locks.d/a.json5", "{ locks: [{ path: 'system/hostname', layer: 'factory' }] }")
            try await agent.reload()
            let locked = try await board.refusal("rollback", "1")
            #expect(locked.status == 77 && locked.code == "SettingLocked", "\(locked)")
            #expect(locked.problems.map(\.first) == ["system/hostname"], "\(locked)")
            #expect(try await agent.status().generation == 2)
        }
    }
}
