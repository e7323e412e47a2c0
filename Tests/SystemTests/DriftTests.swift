import CleatAPI
import CleatIO
import CleatJSON
import CleatStore
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// Tests of outside changes of written files, and of the comparison at a start and a reload, with the real programs,
/// below a root directory.
@Suite("The system at startup, and outside edits", .serialized)
struct DriftTests {
    static let motd = """
        {"type": "object", "properties": {"motd": {"type": "object", "properties": {
          "text": {"type": "string"}, "more": {"type": "string"}}}},
         "x-cleat-apply": [{"file": "/etc/motd", "escape": "line", "template": "%@ {{motd/text}} {{#motd/more}}{{.}}{{/motd/more}}\\n"}]}
        """

    static func motd(_ begin: String) -> String {
        motd.split(separator: "%@", maxSplits: 1).joined(separator: begin)
    }

    func read(_ board: Board, _ path: String) throws -> String { try contents(of: FilePath(board.root + path)) }

    func zone(_ board: Board) throws -> String { try SystemCalls.target(ofLink: board.root + "/etc/localtime") }

    func drift(_ agent: RunningAgent) async throws -> [DriftInfo] {
        try await agent.call(SystemInterface.Drift.self, .init()).drift
    }

    @Test(
        "At startup missing files are written, edited ones stay and are reported, and otherwise nothing is done"
    )
    func start() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            try await agent.set(["system/hostname": "mine", "system/timezone": "UTC"])
            #expect(try await drift(agent).isEmpty)
            #expect(try await board.cleat("drift").output == "no outside edits found\n")
            try await agent.stop()
            agent = try await board.start()
            #expect(try await agent.counter("store.syncs") == 0)
            #expect(try await agent.counter("store.bytes_written") == 0)
            try await agent.stop()

            try board.directory.write("theirs\n", to: "root/etc/hostname")
            try SystemCalls.remove(board.root + "/etc/localtime")
            agent = try await board.start()
            #expect(try read(board, "/etc/hostname") == "theirs\n")
            #expect(try zone(board) == "../usr/share/zoneinfo/UTC")
            let found = try await drift(agent)
            #expect(found.map(\.name) == ["/etc/hostname"] && found.first?.setting == "system/hostname")
            #expect(found.first?.state == .changed && found.first?.value == "theirs", "\(found)")
            let shown = try await board.cleat("drift")
            #expect(
                shown.status == 1
                    && shown.output.hasPrefix(
                        "/etc/hostname was edited: \"theirs\" (system/hostname says \"mine\")\n"),
                "\(shown)")
            let doctor = try await board.cleat("doctor")
            #expect(
                doctor.status == 1
                    && doctor.output.contains(
                        "/etc/hostname: was edited: \"theirs\" (system/hostname says \"mine\")\n"),
                "\(doctor)")
            #expect(try await agent.status().findings == 1)

            // Never overwritten unless it is asked for.
            let refused = try await board.cleat("set", "system/hostname=other")
            #expect(refused.status == 65 && refused.errorText.contains("cleat adopt"), "\(refused)")
            #expect(try read(board, "/etc/hostname") == "theirs\n")
            let again = try await board.cleat("reapply", "/etc/hostname")
            #expect(again.status == 0 && again.output.contains("/etc/hostname"), "\(again)")
            #expect(try read(board, "/etc/hostname") == "mine\n")
            #expect(try await drift(agent).isEmpty)
            #expect(try await agent.status().findings == 0)
            #expect(try await board.cleat("set", "system/hostname=other").status == 0)
            #expect(try await board.cleat("reapply", "--all").output == "nothing to write\n")
        }
    }

    /// A former fault: if `/etc` outlived the store, Cleat's own former value was restored as the original.
    @Test(
        "A file of a lost store is a finding with a remedy that works, and is never captured as an original",
        .tags(.fault), arguments: [true, false])
    func otherStore(isVolatile: Bool) async throws {
        try await Board.with { board in
            let file = board.root + "/etc/sysctl.d/60-cleat.conf"
            func lose() async throws -> RunningAgent {
                let agent = try await board.start()
                try await agent.set(["kernel/sysctl/vm.swappiness": 10])
                try await agent.stop()
                #expect(try await board.script(#"rm -r "$D/state" "$D/run""#).status == 0)
                return try await board.start()
            }
            var agent = try await lose()
            let doctor = try await board.cleat("doctor")
            let remedy = doctor.lines.first { $0.contains("remove it: ") } ?? ""
            #expect(doctor.status == 1 && remedy.hasSuffix("rm /etc/sysctl.d/60-cleat.conf"), "\(doctor)")
            let words = isVolatile ? ["--volatile"] : []
            for verb in [["set", "kernel/sysctl/vm.swappiness=20"], ["unset", "kernel/sysctl/vm.swappiness"]] {
                let done = try await board.script(#"exec "$CLEAT" "$@""#, verb + words)
                #expect(done.status == 0, "\(done)")
            }
            #expect(!SystemCalls.exists(file))
            #expect(try await board.cleat("doctor").status == 0)
            try await agent.stop()

            // The remedy, word by word, below the root of the test.
            agent = try await lose()
            #expect(try await board.cleat("doctor").status == 1)
            #expect(try await board.script("rm \(board.root)/etc/sysctl.d/60-cleat.conf").status == 0)
            #expect(try await board.cleat("doctor").status == 0)
        }
    }

    @Test("An outside edit becomes a setting, or stays as it is; wrong names change nothing")
    func adopt() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/50-motd.json", Self.motd("A"))
            let agent = try await board.start()
            try await agent.set(["system/hostname": "mine", "motd/text": "hi"])
            #expect(try read(board, "/etc/motd") == "A hi \n")
            try board.directory.write("theirs\n", to: "root/etc/hostname")
            try board.directory.write("their words", to: "root/etc/motd")

            for names in [["/etc/nowhere"], ["/etc/hostname", "/etc/nowhere"], ["../x"], [""]] {
                let refusal = try await agent.refusal(
                    SystemInterface.Adopt.name, ["names": .array(names.map { .string($0) })])
                #expect(refusal.name == "dev.cleat.Settings.InvalidValue", "\(refusal)")
            }
            #expect(
                try await agent.refusal(SystemInterface.Adopt.name, ["names": 1]).name.hasSuffix("InvalidParameter"))
            #expect(try await board.cleat("adopt").status == 64)
            #expect(try await board.cleat("reapply", "--all", "x").status == 64)
            let whole = try await board.cleat("adopt", "--all")
            #expect(whole.status == 65 && whole.errorText.contains("--as-is /etc/motd"), "\(whole)")
            #expect(try await agent.get("system/hostname") == "mine")

            let taken = try await board.cleat("adopt", "/etc/hostname")
            #expect(taken.status == 0 && taken.output.contains("generation 2"), "\(taken)")
            #expect(try await agent.get("system/hostname") == "theirs")
            let left = try await board.cleat("adopt", "--as-is", "/etc/motd")
            #expect(left.status == 0 && left.output.hasPrefix("/etc/motd "), "\(left)")
            #expect(try await drift(agent).isEmpty)
            #expect(try read(board, "/etc/motd") == "their words")
            // Where only the mode was changed, the setting is what it was.
            try board.directory.write("theirs\n", to: "root/etc/hostname", mode: 0o600)
            #expect(try await board.cleat("adopt", "--all").output.hasPrefix("/etc/hostname "))
            // What is no name is not taken for one, and is not said to be made of several settings.
            try board.directory.write("not a name\n", to: "root/etc/hostname")
            let bad = try await board.cleat("adopt", "/etc/hostname")
            #expect(bad.status == 65 && bad.errorText.contains("/etc/hostname"), "\(bad)")
            #expect(try await board.cleat("reapply", "/etc/hostname").status == 0)
            try await agent.set(["motd/text": "new"])
            #expect(try read(board, "/etc/motd") == "A new \n")
            let status = try await agent.status()
            #expect(status.generation == 3 && status.findings == 0)
        }
    }

    @Test(
        "A reload applies changed rules and defaults; released files are restored; a refused file changes nothing"
    )
    func reload() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try SystemCalls.makeDirectory(board.root + "/etc")
            try board.directory.write("was here\n", to: "root/etc/motd", mode: 0o640)
            try board.write(vendor: "schema.d/50-motd.json", Self.motd("A"))
            var agent = try await board.start()
            try await agent.set(["motd/text": "hi"])
            #expect(try read(board, "/etc/motd") == "A hi \n")

            func reload(_ text: String, _ agent: RunningAgent) async throws {
                Signal.hangUp.send(to: try agent.pid)
                try await board.eventually("the rules were applied") { try read(board, "/etc/motd") == text }
            }
            try board.write(vendor: "schema.d/50-motd.json", Self.motd("B"))
            try await reload("B hi \n", agent)
            try board.write(vendor: "defaults.d/50.json5", "{motd: {more: 'there'}}")
            try await reload("B hi there\n", agent)
            #expect(try await drift(agent).isEmpty)

            // A file that is refused lets nothing go, at a start neither.
            try await agent.stop()
            try board.write(vendor: "schema.d/50-motd.json", "{")
            agent = try await board.start()
            #expect(try read(board, "/etc/motd") == "B hi there\n")
            try await agent.stop()
            try board.write(vendor: "schema.d/50-motd.json", Self.motd("C"))
            agent = try await board.start()
            #expect(try read(board, "/etc/motd") == "C hi there\n")

            try SystemCalls.remove(board.root + "/usr/lib/cleat/schema.d/50-motd.json")
            try await reload("was here\n", agent)
            let last = agent
            try await board.eventually("nothing is remembered") { try await drift(last).isEmpty }
            // Its former state is forgotten with it: a file that is written now is not Cleat's.
            try board.directory.write("theirs\n", to: "root/etc/motd")
            try await agent.stop()
            _ = try await board.start()
            #expect(try read(board, "/etc/motd") == "theirs\n")
        }
    }

    @Test("One adapter that fails at startup is reported, and blocks neither the others nor the service")
    func failing() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "defaults.d/50.json5", "{system: {hostname: 'vendor', timezone: 'UTC'}}")
            try SystemCalls.makeDirectory(board.root + "/etc")
            try SystemCalls.makeDirectory(board.root + "/etc/hostname")
            var agent = try await board.start()
            #expect(try zone(board) == "../usr/share/zoneinfo/UTC")
            let found = try await drift(agent)
            #expect(found.map(\.name) == ["/etc/hostname"] && found.first?.state == .unreadable, "\(found)")
            #expect(try await board.cleat("doctor").output.contains("/etc/hostname"))
            #expect(try await board.cleat("reapply", "/etc/hostname").status == 1)
            #expect(try await board.cleat("reapply", "--all").status == 1)
            try await agent.stop()
            _ = try await board.script("rmdir $D/root/etc/hostname")
            agent = try await board.start()
            #expect(try read(board, "/etc/hostname") == "vendor\n")
            #expect(try await drift(agent).isEmpty)
            try await agent.stop()
            // A file that the vendor's defaults no longer need is removed, and its former state is restored: there was
            // none.
            try board.write(vendor: "defaults.d/50.json5", "{system: {timezone: 'UTC'}}")
            _ = try await board.start()
            #expect(!SystemCalls.exists(board.root + "/etc/hostname"))
        }
    }

    @Test("The writes of a trial are not outside edits, also after a restart during it")
    func trial() async throws {
        try await Board.with { board in
            try SystemCalls.makeDirectory(board.root + "/etc")
            var agent = try await board.start()
            try await agent.set(["system/hostname": "mine"])
            #expect(try await board.cleat("set", "system/hostname=tried", "--confirm", "5m", "--id", "t").status == 0)
            #expect(try await drift(agent).isEmpty)
            try await agent.stop(.kill)
            agent = try await board.start()
            #expect(try await drift(agent).isEmpty)
            #expect(try await board.cleat("reapply", "--all").status == 75)
            #expect(try await board.cleat("confirm", "t").status == 0)
            #expect(try await drift(agent).isEmpty)
            #expect(try await board.cleat("set", "system/hostname=again", "--confirm", "5m", "--id", "u").status == 0)
            #expect(try await board.cleat("abort", "u").status == 0)
            #expect(try await drift(agent).isEmpty)
            #expect(try read(board, "/etc/hostname") == "tried\n")
            // Released files are also forgotten when the change is confirmed after a restart.
            #expect(try await board.cleat("unset", "system/hostname", "--confirm", "5m", "--id", "v").status == 0)
            try await agent.stop(.kill)
            agent = try await board.start()
            #expect(try await board.cleat("confirm", "v").status == 0)
            try board.directory.write("theirs\n", to: "root/etc/hostname")
            try await agent.stop()
            agent = try await board.start()
            #expect(try read(board, "/etc/hostname") == "theirs\n")
            #expect(try await drift(agent).isEmpty)
        }
    }
}
