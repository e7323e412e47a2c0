import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// Tests of changes that a command of a schema file applies, with the real programs: in namespaces, on a private
/// `/etc`, since below a root directory no command is run.
@Suite(
    "Commands in a transaction, end to end", .tags(.board), .serialized,
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct CommandTransactionTests {
    /// A file and the command that takes it up, which has far longer than it needs, also on a busy machine.
    private static func schema(_ program: String, timeout: String = "1s") -> String {
        """
        { "type": "object", "properties": { "app": { "type": "object", "properties": {
            "mode": { "type": "string" } } } },
          "x-cleat-apply": [
            { "file": "/etc/app.conf", "escape": "word", "mode": "0640", "template": "mode {{app/mode}}\\n" },
            { "command": ["\(program)", "reload"], "timeout": "\(timeout)" } ] }
        """
    }

    /// Writes down what it finds in the file, without output, and then does what that says.
    private static func program(_ board: Board) -> String {
        """
        mode=
        read -r word mode </etc/app.conf
        echo "$mode" >>'\(board.directory.text)/runs'
        case $mode in
        quit) exit 3 ;;
        die) kill -KILL $$ ;;
        hang) trap '' TERM; while :; do sleep 60; done ;;
        slow) cd '\(board.directory.text)' && : >started && while [ ! -e go ]; do sleep 0.05; done ;;
        esac
        """
    }

    /// The modes with which the command fails, and the reported messages.
    private static let failures = [
        ("quit", "exited with 3 without output"), ("die", "was ended by signal 9 without output"),
        ("hang", "did not end within"),
    ]

    @Test(
        "The output of a command whose rules follow a secret is in no answer, event, log or history", .tags(.anyMachine)
    )
    func secretOutput() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let program = try board.write(program: "key", "cat /etc/key.conf >&2; exit 1")
            try board.write(
                admin: "schema.d/10-key.json",
                """
                { "type": "object", "properties": { "key": { "type": "object", "properties": {
                    "value": { "type": "string", "writeOnly": true } } } },
                  "x-cleat-apply": [
                    { "file": "/etc/key.conf", "escape": "word", "template": "{{key/value}}\\n" },
                    { "command": ["\(program)"] } ] }
                """)
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            options.arguments += ["--log-level", "trace"]
            let agent = try await board.start(options)
            let events = try await EventCollector(agent)
            let refused = try await board.refusal("set", "key/value=CMDSECRET")
            #expect(refused.status == 10 && refused.code == "NotApplied", "\(refused)")
            #expect(refused.failures.map(\.adapter) == ["run \(program)"], "\(refused)")
            #expect(
                refused.failures.allSatisfy { $0.message.contains("\(program) \(ChildResult.Status.exited(1))") },
                "\(refused)")
            let id = try await agent.call(SettingsInterface.Log.self, .init()).generations.first?.number ?? 0
            var told = "\(refused)" + events.events.map { "\($0)" }.joined()
            for words in [["log"], ["show", "\(id)"], ["status"], ["doctor"]] {
                let shown = try await board.script(#"exec "$CLEAT" "$@""#, words)
                told += shown.output + shown.errorText
            }
            events.close()
            told += try await agent.stop().outputText
            #expect(told.contains("key/value") && !told.contains("CMDSECRET"), "\(told)")
        }
    }

    /// The file's bytes, mode and owner.
    private static let look = "cat /etc/app.conf; stat -c '%a %u:%g' /etc/app.conf"

    @Test(
        "It is run in the change and in the revert; if it fails, dies or hangs, the change is reverted, and that is reported",
        .enabled(if: TestMachine.slowness == 1, "what it waits for takes long on a board, and nothing differs there"))
    func commands() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let program = try board.write(program: "app", Self.program(board))
            try board.write(admin: "schema.d/10-app.json", Self.schema(program))
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)

            let first = try await board.cleat("set", "app/mode=one")
            #expect(first.status == 0, "\(first)")
            let before = try await space.script(Self.look).output
            #expect(before == "mode one\n640 0:0\n")
            let trial = try await board.cleat("set", "app/mode=two", "--confirm", "10m", "--id", "t1")
            #expect(trial.status == 0, "\(trial)")
            #expect(try await space.script(Self.look).output == "mode two\n640 0:0\n")
            let aborted = try await board.cleat("abort", "t1")
            #expect(aborted.status == 0, "\(aborted)")
            #expect(try await space.script(Self.look).output == before)
            var runs = ["one", "two", "one"]
            #expect(try Self.runs(board) == runs)

            let trials: [[String]] = [[], ["--confirm", "10m"]]
            for (mode, failure) in Self.failures {
                for words in trials {
                    let set = try await board.script(#"exec "$CLEAT" "$@""#, ["set", "app/mode=\(mode)"] + words)
                    #expect(set.status == 10, "\(set)")
                    #expect(set.errorText.contains("\(program) \(failure)"), "\(set)")
                    runs += [mode, "one"]
                    #expect(try Self.runs(board) == runs)
                    #expect(try await space.script(Self.look).output == before)
                    #expect(try await agent.get("app/mode") == "one")
                    let status = try await agent.status()
                    #expect(status.trial == nil)
                    // The reverted change, and then its revert.
                    let undone = try await board.cleat("show", "\(status.generation - 1)")
                    #expect(undone.lines.first?.hasSuffix("(reverted)") == true, "\(undone)")
                    #expect(undone.lines.contains("    wrote /etc/app.conf"), "\(undone)")
                    let made = try await agent.generation(status.generation - 1)
                    let failed = made?.results?.filter { $0.state == .failed } ?? []
                    #expect(made?.state == .reverted && failed.map(\.adapter) == ["apply:10-app"], "\(failed)")
                    #expect(failed.allSatisfy { $0.message.contains("\(program) \(failure)") }, "\(failed)")
                    let back = try await board.cleat("show", "\(status.generation)")
                    #expect(back.lines.contains("    wrote /etc/app.conf"), "\(back)")
                    // The reason of the revert names what could not be done; the results of the revert have no failure.
                    let results = try await agent.generation(status.generation)?.results ?? []
                    #expect(!results.isEmpty && results.allSatisfy { $0.state == .applied }, "\(results)")
                }
            }

            #expect(try await board.cleat("drift").output == "no outside edits found\n")
            let last = try await board.cleat("set", "app/mode=three")
            #expect(last.status == 0, "\(last)")
            #expect(try Self.runs(board) == runs + ["three"])
        }
    }

    @Test(
        "A change that the service's end interrupts is reverted before; an import of the inbox is completed",
        .enabled(if: TestMachine.slowness == 1, "what it waits for takes long on a board, and nothing differs there"))
    func cutOff() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let program = try board.write(program: "app", Self.program(board))
            try board.write(admin: "schema.d/10-app.json", Self.schema(program, timeout: "1m"))
            try board.directory.write(#"{ imports: [{ match: "*.json5" }] }"#, to: "etc/cleatd.json5")
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            var agent = try await board.start(options)
            #expect(try await board.cleat("set", "app/mode=one").status == 0)
            let before = try await space.script(Self.look).output

            func hasStarted() async throws {
                let path = board.directory.appending("started")
                try await board.eventually("the command runs") { SystemCalls.exists(path) }
                try SystemCalls.remove(path)
            }
            for words in [["set"], ["set", "--volatile"]] {
                async let set = board.script(#"exec "$CLEAT" "$@""#, words + ["app/mode=slow"])
                try await hasStarted()
                try await agent.stop()
                let refused = try await set
                #expect(refused.status != 0, "\(words): \(refused)")
                #expect(try await space.script(Self.look).output == before, "\(words)")
                #expect(try Self.runs(board).last == "one", "\(words)")
                agent = try await board.start(options)
                #expect(try await agent.status().trial == nil)
                #expect(try await agent.get("app/mode") == "one", "\(words)")
                #expect(try await space.script(Self.look).output == before, "\(words)")
            }

            let drop = #"echo "{ app: { mode: 'slow' } }" >"$D/drop" && mv "$D/drop" "$D/state/files/inbox/a.json5""#
            #expect(try await board.script(drop).status == 0)
            try await hasStarted()
            Signal.terminate.send(to: try agent.pid)
            _ = try board.directory.write("", to: "go")
            _ = try await agent.waitUntilEnded()
            #expect(try await space.script("cat /etc/app.conf").output == "mode slow\n")
            let kept = try await board.script("cd $D/state/files && ls library/imported library/rejected inbox 2>&1")
            #expect(kept.output.contains("-a.json5") && !kept.output.contains("reason"), "\(kept)")
        }
    }

    @Test(
        "A file of the inbox whose change was interrupted is applied with the next start",
        .enabled(if: TestMachine.slowness == 1, "what it waits for takes long on a board, and nothing differs there"))
    func cutOffImport() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let program = try board.write(program: "app", Self.program(board))
            try board.write(admin: "schema.d/10-app.json", Self.schema(program, timeout: "1m"))
            try board.directory.write(#"{ imports: [{ match: "*.json5" }] }"#, to: "etc/cleatd.json5")
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let drop = #"echo "{ app: { mode: 'slow' } }" >"$D/drop" && mv "$D/drop" "$D/state/files/inbox/a.json5""#
            #expect(try await board.script(drop).status == 0)
            let path = board.directory.appending("started")
            try await board.eventually("the command runs") { SystemCalls.exists(path) }
            await agent.kill()
            _ = try board.directory.write("", to: "go")
            let next = try await board.start(options)
            try await board.eventually("the file is put away") {
                try await board.script("ls $D/state/files/library/imported/*-a.json5").status == 0
            }
            #expect(try await next.get("app/mode") == "slow")
            #expect(try await space.script("cat /etc/app.conf").output == "mode slow\n")
        }
    }

    @Test(
        "A trial whose schema file was removed meanwhile has its command reload the former state",
        .enabled(if: TestMachine.slowness == 1, "what it waits for takes long on a board, and nothing differs there"))
    func withoutSchema() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let program = try board.write(program: "app", Self.program(board))
            try board.write(admin: "schema.d/10-app.json", Self.schema(program))
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            #expect(try await board.cleat("set", "app/mode=one").status == 0)
            #expect(try await board.cleat("set", "app/mode=two", "--confirm", "10m", "--id", "t1").status == 0)
            try SystemCalls.remove(board.config + "/schema.d/10-app.json")
            Signal.hangUp.send(to: try agent.pid)
            try await board.eventually("the schema has gone") {
                try await board.cleat("describe", "app/mode").status != 0
            }
            let aborted = try await board.cleat("abort", "t1")
            #expect(aborted.status == 0, "\(aborted)")
            #expect(try Self.runs(board) == ["one", "two", "one"])
        }
    }

    @Test(
        "A command that always fails is reported and run again, and blocks no other change",
        .enabled(if: TestMachine.slowness == 1, "what it waits for takes long on a board, and nothing differs there"))
    func broken() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let broken = board.directory.appending("broken")
            let program = try board.write(program: "app", Self.program(board) + "\n[ ! -e '\(broken)' ] || exit 5\n")
            try board.write(admin: "schema.d/10-app.json", Self.schema(program))
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            #expect(try await board.cleat("set", "app/mode=one").status == 0)
            let before = try await space.script(Self.look).output
            #expect(try await board.cleat("set", "app/mode=two", "--confirm", "10m", "--id", "t1").status == 0)

            func isTold() async throws -> Bool {
                let drift = try await agent.call(SystemInterface.Drift.self, .init())
                return try await board.cleat("drift").status == 1 && drift.failures.contains(where: isFailure)
            }
            @Sendable func isFailure(_ result: AdapterResult) -> Bool {
                result.adapter == "run \(program) reload" && result.state == .failed
                    && result.message.contains("\(program) \(ChildResult.Status.exited(5))")
            }
            _ = try board.directory.write("", to: "broken")
            let aborted = try await agent.call(TransactionsInterface.Abort.self, .init(id: "t1"))
            #expect(aborted.state == .reverted && aborted.generation == 3, "\(aborted)")
            #expect(aborted.results.contains(where: isFailure), "\(aborted)")
            #expect(try await space.script(Self.look).output == before)
            #expect(try await isTold())
            let findings = try await agent.findings()
            #expect(
                findings.contains {
                    $0.kind == .notFollowed && $0.subject == "run \(program) reload" && $0.message.contains(program)
                }, "\(findings)")
            #expect(try await agent.generation(3)?.results?.contains(where: isFailure) == true)

            // A change that the command applies is refused, but no other one.
            let set = try await board.script(#"exec "$CLEAT" "$@""#, ["set", "app/mode=three"])
            #expect(set.status == 10, "\(set)")
            #expect(try await space.script(Self.look).output == before)
            #expect(try await agent.status().trial == nil)
            let rehearsed = try await board.script(#"exec "$CLEAT" "$@""#, ["plan", "--rehearse", "app/mode=three"])
            #expect(rehearsed.status == 10, "\(rehearsed)")
            let other = try await board.cleat("set", "system/hostname=other")
            #expect(other.status == 0, "\(other)")
            #expect(try await isTold())
            let again = try await board.cleat("reapply", "--all")
            #expect(again.status == 1 && again.output.contains(program), "\(again)")

            // The command works again: a request runs it at once, and its failure is no longer reported.
            let mended = try await board.script(#"rm "$D/broken""#)
            #expect(mended.status == 0)
            let last = try await board.cleat("reapply", "--all")
            #expect(last.status == 0, "\(last)")
            #expect(try await board.cleat("drift").output == "no outside edits found\n")

            // Without a request the service runs it again by itself.
            #expect(try await board.cleat("set", "app/mode=two", "--confirm", "10m", "--id", "t2").status == 0)
            _ = try board.directory.write("", to: "broken")
            // Gone before the service tries again, on any machine.
            let undone = try await board.script(#""$CLEAT" abort t2; status=$?; rm "$D/broken"; exit $status"#)
            #expect(undone.status == 0, "\(undone)")
            let runs = try Self.runs(board).count
            try await board.eventually("the service ran the command again") {
                try await board.cleat("drift").status == 0
            }
            #expect(try Self.runs(board).suffix(from: runs).allSatisfy { $0 == "one" })
        }
    }

    /// Returns the contents of the file at each run of the command.
    private static func runs(_ board: Board) throws -> [String] {
        try board.directory.read("runs").split(separator: "\n").map(String.init)
    }
}
