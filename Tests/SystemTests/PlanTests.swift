import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// Tests of plans and rehearsals, with the real programs.
@Suite("Plans and rehearsals, end to end", .serialized)
struct PlanTests {
    /// A file that holds a secret and one that does not; neither can be made where its directory is missing.
    private static let schema = #"""
        { "type": "object",
          "properties": { "app": { "type": "object", "properties": {
            "name": { "type": "string" }, "password": { "type": "string", "writeOnly": true },
            "astray": { "type": "string" }, "boot": { "type": "string" } } } },
          "x-cleat-apply": [
            { "file": "/etc/app.conf", "escape": "line", "template": "name {{app/name}}\n", "when": ["app/name"] },
            { "file": "/etc/app.key", "escape": "line", "template": "key {{app/password}}\n" },
            { "file": "/nowhere/astray", "escape": "line", "template": "{{app/astray}}\n" },
            { "file": "/etc/app.boot", "escape": "line", "template": "{{app/boot}}\n",
              "reboot": "the boot loader reads it" },
            { "command": ["/usr/bin/app", "reload"], "when": ["/etc/app.conf"] } ] }
        """#

    /// A board with a system to change, and all that the system and the store hold, as one text.
    private static func board(
        _ body: @escaping @Sendable (Board, RunningAgent) async throws -> Void
    ) async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/10-app.json", schema)
            let made = try await board.script(
                #"mkdir -p "$D/root/etc" && printf 'factory\n' >"$D/root/etc/hostname" && chmod 640 "$D/root/etc/hostname""#
            )
            try #require(made.status == 0, "\(made)")
            try await body(board, try await board.start())
        }
    }

    private static func system(_ board: Board) async throws -> String {
        try await board.script(
            #"cd "$D/root" && find . -exec stat -c '%n %a %u %g %F %N' {} + | sort && find . -type f -exec cksum {} + | sort"#
        ).output
    }

    @Test("It reports every file, value and program, in every form, and changes nothing")
    func forms() async throws {
        try await Self.board { board, agent in
            let before = try await Self.system(board)
            let plan = try await board.cleat(
                "plan", "system/hostname=pump", "app/name=kim", "network/interfaces/eth0/mtu=1400")
            #expect(plan.status == 0 && plan.errorText.isEmpty, "\(plan)")
            for line in [
                "system/hostname: unset -> pump", "change /etc/hostname",
                "  its content is not shown: not all users may read it",
                "skip the kernel's host name", "create /etc/app.conf: a file of mode 0644",
                "  --- /dev/null", "  +++ b/etc/app.conf", "  @@ -0,0 +1 @@", "  +name kim",
                "run /usr/bin/app", "  not done: services are not notified", "reboot: not needed",
                "nothing was changed",
                "your connection: stays (no network interface changes)",
            ] {
                #expect(plan.lines.contains { $0.hasPrefix(line) }, "\(line) in \(plan.output)")
            }
            #expect(plan.output.contains("network/interfaces/eth0/mtu"))
            try await agent.set(["system/hostname": "one", "app/name": "kim"])
            try await agent.set(["system/hostname": "two"])
            let between = try await Self.system(board)
            #expect(between != before)

            let back = try await board.change("plan", "--rollback", "1")
            #expect(back.changes.map(\.path) == ["system/hostname"], "\(back)")
            #expect(back.changes.first?.old == "two" && back.changes.first?.new == "one", "\(back)")
            let reset = try await board.change("plan", "--reset")
            let steps = try #require(reset.plan?.steps, "\(reset)")
            #expect(steps.first { $0.resource == "/etc/hostname" }?.action == .change, "\(steps)")
            #expect(steps.first { $0.resource == "/etc/app.conf" }?.action == .remove, "\(steps)")
            let unset = try await board.cleat("plan", "--unset", "app")
            #expect(unset.status == 0 && unset.output.contains("-name kim"), "\(unset)")
            let file = try await board.script(
                #""$CLEAT" plan --output json --apply -"#, input: "{app: {name: 'new'}, system: {hostname: 'two'}}")
            let json = try JSONReader.read(file.output)
            let diff = json["plan"]?["steps"]?.arrayValue?.first?["diff"]?.stringValue
            #expect(diff == "--- a/etc/app.conf\n+++ b/etc/app.conf\n@@ -1 +1 @@\n-name kim\n+name new\n", "\(file)")
            for words in [
                ["system/hostname=two"], ["--rollback", "2"], ["--reset", "time"], ["--unset", "app/astray"],
            ] {
                let nothing = try await board.script(#"exec "$CLEAT" plan "$@""#, words)
                #expect(nothing.status == 0 && nothing.lines.last == "nothing would change", "\(words) \(nothing)")
            }
            #expect(try await Self.system(board) == between)
            #expect(try await agent.status().generation == 2)
            // The difference is one that patch(1) takes.
            if TestMachine.has("patch") {
                let patched = try await board.script(
                    #"""
                    cd "$D/root" && "$CLEAT" plan app/name=new | sed -n 's/^  //p' | patch -p1 >&2 && cat etc/app.conf
                    """#)
                #expect(patched.output == "name new\n", "\(patched)")
            }
        }
    }

    @Test("A result that needs a reboot is reported by the plan, by the answer to the change, and by history")
    func reboot() async throws {
        try await Self.board { board, agent in
            let planned = "reboot: needed, because the boot loader reads it"
            let plan = try await board.cleat("plan", "app/boot=fast")
            #expect(plan.status == 0 && plan.lines.contains(planned), "\(plan)")
            let file = try await board.cleat("plan", "app/boot=fast", "--output", "json")
            let actions = try JSONReader.read(file.output)["plan"]?["actions"]?.arrayValue
            #expect(actions?.count == 1 && actions?.first?["kind"] == "reboot", "\(file)")
            #expect(actions?.first?["note"] == "the boot loader reads it", "\(file)")
            func isTold(_ results: [AdapterResult]?) -> Bool {
                results?.contains { $0.level == .warning && $0.message.contains("the boot loader reads it") } == true
            }
            let set = try await board.change("set", "app/boot=fast")
            #expect(isTold(set.results), "\(set)")
            #expect(try await isTold(agent.generation(1)?.results))
            // Another setting of the same file of rules does not ask for it, and what takes this one back does.
            let other = try await board.cleat("set", "app/name=kim")
            #expect(other.status == 0 && !other.output.contains("boot"), "\(other)")
            let back = try await board.cleat("plan", "--unset", "app/boot")
            #expect(back.status == 0 && back.lines.contains(planned), "\(back)")
            let unset = try await board.change("unset", "app/boot")
            #expect(isTold(unset.results), "\(unset)")
            #expect(try await agent.status().generation == 3)
        }
    }

    @Test("No answer has a secret, or the contents of a file that is made of one")
    func secrets() async throws {
        try await Self.board { board, agent in
            for form in ["text", "json", "json-lines"] {
                let plan = try await board.cleat("plan", "app/password=hidden-word", "--output", form)
                #expect(plan.status == 0 && plan.output.contains("/etc/app.key"), "\(plan)")
                #expect(!plan.output.contains("hidden-word"), "\(plan)")
            }
            let planned = try await board.change("plan", "app/password=hidden-word")
            let step = try #require(planned.plan?.steps.first { $0.resource == "/etc/app.key" }, "\(planned)")
            #expect(step.diff == nil && step.note != nil, "\(step)")
            try await agent.set(["app/password": "hidden-word"])
            for words in [["--unset", "app/password"], ["app/password=other-word"], ["--rollback"], ["--reset"]] {
                let plan = try await board.script(#"exec "$CLEAT" plan "$@""#, words)
                #expect(plan.status == 0 && plan.output.contains("/etc/app.key"), "\(words) \(plan)")
                #expect(!plan.output.contains("hidden-word") && !plan.output.contains("other-word"), "\(words) \(plan)")
            }
            let rehearsal = try await board.cleat("plan", "--rehearse", "app/password=other-word")
            #expect(rehearsal.status == 0 && !rehearsal.output.contains("-word"), "\(rehearsal)")
        }
    }

    @Test("Bad input is refused, all of it at once, and changes nothing")
    func badInput() async throws {
        try await Self.board { board, agent in
            let before = try await Self.system(board)
            let both = try await board.cleat("plan", "system/hostname=-", "network/interfaces/eth0/mtu=1")
            #expect(both.status == 65 && both.errorText.contains("system/hostname"), "\(both)")
            #expect(both.errorText.contains("mtu"), "\(both)")
            for (words, status) in [
                (["no/such=1"], 65), (["--unset", "no/such"], 65), (["--rollback", "9"], 65),
                (["--reset", "no/such"], 65),
                ([], 64), (["system/hostname"], 64), (["--rollback", "x"], 64), (["--rollback", "1", "2"], 64),
                (["--reset", "a", "b"], 64), (["--rollback", "--reset"], 64), (["--apply", "f", "a=1"], 64),
                (["--replace", "a=1"], 64), (["--rehearse", "--volatile", "a=1"], 64),
                (["--reset", "--unset", "a"], 64),
                (["--apply", "/no/such/file"], 1), (["system/hostname=x", "--expect", "7"], 75),
            ] as [([String], Int32)] {
                let refused = try await board.script(#"exec "$CLEAT" plan "$@""#, words)
                #expect(refused.status == status && refused.output.isEmpty, "\(words) \(refused)")
            }
            let changes: JSONValue = [["path": "system/hostname", "value": "x"]]
            for (name, value) in [("plan", JSONValue.string("yes")), ("rehearse", 1), ("plan", ["a"])] {
                let error = try await agent.refusal("dev.cleat.Settings.Set", ["changes": changes, name: value])
                #expect(error.name.hasSuffix("InvalidParameter"), "\(error)")
            }
            for name in ["check", "plan"] {
                let error = try await agent.refusal(
                    "dev.cleat.Settings.Set", ["changes": changes, "rehearse": true, name: true])
                #expect(error.name.hasSuffix("InvalidValue"), "\(error)")
            }
            for more: JSONObject in [["confirm": 5_000], ["volatile": true]] {
                var parameters: JSONObject = ["changes": changes, "rehearse": true]
                for (key, value) in more { parameters[key] = value }
                #expect(try await agent.refusal("dev.cleat.Settings.Set", parameters).name.hasSuffix("InvalidValue"))
            }
            // What could not be captured could not be changed: a directory in the place of a file.
            let blocked = try await board.script(#"mkdir "$D/root/etc/app.conf"; exec "$CLEAT" plan app/name=kim"#)
            #expect(blocked.status == 65 && blocked.errorText.contains("app/name"), "\(blocked)")
            #expect(blocked.errorText.contains("/etc/app.conf"), "\(blocked)")
            #expect(try await board.script(#"rmdir "$D/root/etc/app.conf""#).status == 0)
            #expect(try await Self.system(board) == before)
            #expect(try await agent.status().generation == 0)
        }
    }

    @Test("A rehearsal leaves everything as it was, is in the log as one, and its id is not that of the change")
    func rehearsal() async throws {
        try await Self.board { board, agent in
            try await agent.set(["app/name": "kim"])
            let before = try await Self.system(board)
            let events = try await EventCollector(agent)
            let words = ["system/hostname=pump", "--unset", "app/name", "--id", "r1", "--comment", "why not"]
            let rehearsed = try await board.script(#"exec "$CLEAT" plan --rehearse "$@""#, words)
            #expect(rehearsed.status == 0, "\(rehearsed)")
            for line in [
                "wrote /etc/hostname", "/etc/hostname: restored",
                "the kernel's host name: not changed", "/etc/app.conf: restored",
                "rehearsed and reverted: everything was restored",
            ] {
                #expect(rehearsed.lines.contains { $0.hasPrefix(line) }, "\(line) in \(rehearsed.output)")
            }
            #expect(try await Self.system(board) == before)
            #expect(try await agent.get("app/name") == "kim")
            let status = try await agent.status()
            #expect(status.trial == nil && status.generation == 3)
            let log = try await agent.call(SettingsInterface.Log.self, .init()).generations
            #expect(log.map(\.number) == [3, 2, 1] && log.map(\.state) == [nil, .reverted, nil], "\(log)")
            #expect(log.prefix(2).map(\.id) == ["revert-r1", "r1"], "\(log)")
            #expect(log[1].comment?.contains("why not") == true, "\(log)")
            let difference = try await board.cleat("diff", "1", "3", "--output", "json").output
            #expect(try JSONReader.read(difference)["changes"]?.arrayValue?.isEmpty == true, "\(difference)")
            try await board.eventually("it was told", showing: "\(events.events)") {
                events.told(["change-pending r1", "change-reverted r1"], .agent)
            }
            events.close()
            let reused = try await board.refusal("set", "system/hostname=pump", "--id", "r1")
            #expect(reused.status == 75 && reused.code == "IdReused" && reused.parameters["id"] == "r1", "\(reused)")
            // It stays so over a restart, and the change can be made.
            try await agent.stop(.kill)
            let next = try await board.start()
            #expect(try await Self.system(board) == before)
            #expect(try await next.status().generation == 3)
            #expect(try await board.cleat("set", "system/hostname=pump").status == 0)
            #expect(try await board.script(#"cat "$D/root/etc/hostname""#).output == "pump\n")
            for words in [["--rollback", "1"], ["--reset"]] {
                let other = try await board.script(#"exec "$CLEAT" plan --rehearse --output json "$@""#, words)
                let states = try JSONReader.read(other.output)["rehearsal"]?.arrayValue?.map { $0["state"] }
                #expect(other.status == 0 && states?.contains("restored") == true, "\(other)")
                #expect(states?.contains("differs") == false, "\(other)")
                #expect(try await board.script(#"cat "$D/root/etc/hostname""#).output == "pump\n")
            }
            let nothing = try await board.change("plan", "--rehearse", "network/interfaces/eth0/mtu=1400")
            let generation = try await next.status().generation
            if nothing.state == .checked { #expect(generation == 8, "\(nothing)") }
        }
    }

    @Test("A rehearsal that the system cannot follow is refused; none is started while a change is on trial")
    func failing() async throws {
        try await Self.board { board, agent in
            let before = try await Self.system(board)
            let failed = try await board.cleat("plan", "--rehearse", "app/name=kim", "app/astray=x")
            #expect(failed.status == 65 && failed.errorText.contains("/nowhere/astray"), "\(failed)")
            #expect(try await Self.system(board) == before)
            #expect(try await agent.status().trial == nil)
            #expect(try await board.cleat("set", "app/name=kim", "--confirm", "5m", "--id", "t1").status == 0)
            let refused = try await board.refusal("plan", "--rehearse", "system/hostname=x")
            #expect(refused.status == 75 && refused.code == "TransactionPending", "\(refused)")
            #expect(refused.parameters["id"] == "t1", "\(refused)")
            #expect(try await board.cleat("plan", "system/hostname=x").status == 0)
            #expect(try await board.cleat("abort", "t1").status == 0)
            #expect(try await Self.system(board) == before)
        }
    }
}
