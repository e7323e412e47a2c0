import CleatAPI
import CleatHash
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// Snapshots, with the real programs, below a root directory.
@Suite("Snapshots, end to end", .serialized)
struct SnapshotTests {
    private static let motd = """
        {"type":"object","properties":{"motd":{"type":"object","properties":{"text":{"type":"string"}}}},
        "x-cleat-apply":[{"file":"/etc/motd","escape":"line","template":"Welcome: {{motd/text}}\\n"}]}
        """
    private static let key = """
        {"type":"object","properties":{"key":{"type":"object","properties":{"value":{"type":"string","writeOnly":true}}}},
        "x-cleat-apply":[{"file":"/etc/key.conf","escape":"line","template":"K={{key/value}}\\n"}]}
        """

    /// Runs a body on a board whose host name, time zone and two files follow settings.
    private func onBoard(_ body: @escaping @Sendable (Board, RunningAgent) async throws -> Void) async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.directory.makeDirectory("root/etc")
            try board.write(vendor: "schema.d/motd.json", Self.motd)
            try board.write(vendor: "schema.d/key.json", Self.key)
            try board.directory.write("former\n", to: "root/etc/hostname")
            try await body(board, try await board.start())
        }
    }

    private static let first: [String: JSONValue] = [
        "system/hostname": "pump-7", "system/timezone": "Europe/Berlin", "motd/text": "hello", "key/value": "s3cret",
    ]

    @Test("A snapshot is made, compared, restored on trial, reverted, restored for good, and deleted")
    func life() async throws {
        try await onBoard { board, agent in
            func file(_ name: String) throws -> String { try board.directory.read("root/etc/\(name)") }
            func ok(_ arguments: String...) async throws -> Board.Finished {
                let done = try await board.script(#"exec "$CLEAT" "$@""#, ["snapshot"] + arguments)
                #expect(done.status == 0, "\(arguments): \(done)")
                return done
            }
            func restore(_ arguments: String...) async throws -> SnapshotsInterface.Restore.Reply {
                let done = try await board.script(
                    #"exec "$CLEAT" snapshot restore "$@" --output json"#, arguments)
                #expect(done.status == 0, "\(arguments): \(done)")
                return try SnapshotsInterface.Restore.Reply(
                    wire: #require(try? JSONReader.read(done.output).objectValue, "\(done)"))
            }
            try await agent.set(Self.first)
            #expect(
                try await ok("create", "factory", "--comment", "as delivered").output.contains(
                    "generation 1: 4 settings"))
            try await agent.set(["system/hostname": "pump-8", "motd/text": "changed"])
            try board.directory.write("edited\n", to: "root/etc/motd")
            _ = try await ok("create", "before the update")

            let list = try JSONReader.read(try await ok("list", "--output", "json").output)
            let names = list["snapshots"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
            #expect(names == ["factory", "before the update"], "\(list)")
            let shown = try await ok("show", "factory").output
            #expect(shown.contains("motd/text = hello") && shown.contains("file:/etc/motd "), "\(shown)")
            #expect(!shown.contains("s3cret") && shown.contains("file:/etc/key.conf (may hold a secret)"), "\(shown)")
            for diff in [try await ok("diff", "factory"), try await ok("diff", "factory", "before the update")] {
                #expect(
                    diff.lines.dropFirst() == [
                        "- motd/text = hello", "+ motd/text = changed", "- system/hostname = pump-7",
                        "+ system/hostname = pump-8", "~ file:/etc/hostname", "~ file:/etc/motd",
                    ], "\(diff)")
            }

            // What was edited outside is overwritten only where the files are asked for.
            for words in [["--check"], [], ["--confirm", "1h"]] {
                let refused = try await board.script(#"exec "$CLEAT" snapshot restore factory "$@""#, words)
                #expect(refused.status == 65 && refused.errorText.contains("motd/text: "), "\(refused)")
                #expect(try file("hostname") == "pump-8\n" && file("motd") == "edited\n")
            }
            let check = try await restore("factory", "--files", "--check").change
            let name = try #require(check.changes.first { $0.path == "system/hostname" }, "\(check)")
            #expect(check.state == .checked && name.old == "pump-8" && name.new == "pump-7", "\(check)")
            #expect(try file("hostname") == "pump-8\n" && file("motd") == "edited\n")
            _ = try await ok("restore", "factory", "--files", "--id", "once")
            #expect(try file("hostname") == "pump-7\n" && file("motd") == "Welcome: hello\n")
            #expect(try await restore("factory", "--files", "--id", "once").change.state == .repeated)

            // The edited file is restored only on request.
            _ = try await ok("restore", "before the update", "--files", "--confirm", "1h", "--id", "trial")
            #expect(try file("hostname") == "pump-8\n" && file("motd") == "edited\n")
            #expect(try await board.cleat("snapshot", "create", "during").status == 75)
            #expect(try await board.cleat("snapshot", "restore", "factory").status == 75)
            await agent.kill()
            let second = try await board.start()
            #expect(try file("motd") == "edited\n")
            #expect(try await board.cleat("abort", "trial").status == 0)
            #expect(try file("hostname") == "pump-7\n" && file("motd") == "Welcome: hello\n")
            #expect(try await second.get("motd/text") == "hello")
            #expect(try await restore("before the update").differing == ["file:/etc/motd"])
            #expect(try file("motd") == "Welcome: changed\n")
            let generation = try await second.status().generation
            // Where no setting differs, the files are a generation of their own, on trial or not.
            _ = try await ok("restore", "before the update", "--files", "--confirm", "1h", "--id", "files")
            #expect(try file("motd") == "edited\n")
            #expect(try await board.cleat("abort", "files").status == 0)
            #expect(try file("motd") == "Welcome: changed\n")
            let listed = try await ok("restore", "before the update", "--files", "--check").output
            #expect(listed.contains("file:/etc/motd ") && listed.contains("0644 0:0 "), "\(listed)")
            #expect(try file("motd") == "Welcome: changed\n")
            let restored = try await restore("before the update", "--files").change
            #expect(restored.state == .confirmed && restored.generation == generation + 3, "\(restored)")
            #expect(try file("motd") == "edited\n")
            #expect(try await second.status().generation == generation + 3)
            let last = try await second.generation(generation + 3)
            #expect(last?.comment?.contains("before the update") == true, "\(last as Any)")

            _ = try await ok("delete", "factory")
            #expect(try await board.cleat("snapshot", "show", "factory").status == 65)
            #expect(try await ok("show", "before the update").output.contains("every hash was verified"))
        }
    }

    @Test(
        "An export holds no secret and can be restored on another board, whose own secrets stay; a damaged one is named"
    )
    func transfer() async throws {
        try await onBoard { board, agent in
            try await agent.set(Self.first)
            #expect(try await board.cleat("snapshot", "create", "factory").status == 0)
            let path = board.directory.appending("factory.snapshot")
            let export = try await board.cleat("snapshot", "export", "factory", path)
            #expect(export.output.contains("key/value") && export.output.contains("file:/etc/key.conf"), "\(export)")
            let text = try board.directory.read("factory.snapshot")
            #expect(try await board.cleat("snapshot", "export", "factory").output == text)
            #expect(!text.contains("s3cret"))
            for place in [[], ["/dev/stdout"]] {
                let told = try await board.script(#"exec "$CLEAT" snapshot export factory "$@""#, place)
                #expect(told.output == text && told.errorText.hasSuffix("file:/etc/key.conf\n"), "\(told.errorText)")
            }
            // In a directory each has a name of its own, and replaces no file without a request.
            _ = try await board.script(#"mkdir "$D/out" && "$CLEAT" snapshot create '..a b/ä'"#)
            for (name, file) in [("factory", "factory.snapshot"), ("..a b/ä", "_.a_b__.snapshot")] {
                let place = board.directory.appending("out/\(file)")
                let told = try await board.cleat("snapshot", "export", name, board.directory.appending("out"))
                #expect(told.status == 0 && told.lines.first == "exported \(name) into \(place)", "\(told)")
                try board.directory.write("mine", to: "out/\(file)")
                let again = try await board.refusal("snapshot", "export", name, board.directory.appending("out"))
                #expect(again.status == 1 && again.code == "LocalFile" && again.message.contains(place), "\(again)")
                #expect(try board.directory.read("out/\(file)") == "mine")
                #expect(try await board.cleat("snapshot", "export", name, place).status == 0)
                #expect(try board.directory.read("out/\(file)").contains("pump-7"))
            }
            #expect(try await board.script("ls -A \"$D/out\"").lines == ["_.a_b__.snapshot", "factory.snapshot"])
            #expect(try await board.cleat("snapshot", "export", "factory", "--with-secrets").status == 64)
            #expect(try await board.cleat("snapshot", "export", "nothing", path + ".no").status == 65)
            #expect(try await board.script("test ! -e \"$D/factory.snapshot.no\"").status == 0)

            try await onBoard { other, otherAgent in
                try await otherAgent.set(["system/hostname": "other", "key/value": "mine"])
                let generation = try await otherAgent.status().generation
                for (damaged, code) in Self.damages(of: text) {
                    try other.directory.write(damaged, to: "bad.snapshot")
                    let path = other.directory.appending("bad.snapshot")
                    let refused = try await other.refusal("snapshot", "import", path)
                    #expect(refused.status != 0 && refused.code == code, "\(refused)")
                }
                let snapshots = try JSONReader.read(
                    try await other.cleat("snapshot", "list", "--output", "json").output)["snapshots"]
                #expect(snapshots?.arrayValue?.isEmpty == true, "\(snapshots as Any)")
                let left = try await other.cleat("file", "ls", "temporary", "--output", "json")
                #expect(try JSONReader.read(left.output)["entries"]?.arrayValue?.isEmpty == true, "\(left)")
                #expect(try await other.cleat("snapshot", "import", path, "--name", "theirs").status == 0)
                #expect(try await other.cleat("snapshot", "import", path, "--name", "theirs").status == 75)
                #expect(try await otherAgent.status().generation == generation)
                let restored = try await other.cleat("snapshot", "restore", "theirs", "--output", "json")
                #expect(try JSONReader.read(restored.output)["kept"] == 2, "\(restored)")
                #expect(try other.directory.read("root/etc/hostname") == "pump-7\n")
                #expect(try other.directory.read("root/etc/key.conf") == "K=mine\n")
                // Also when it has got another name since.
                let rename = #""writeOnly":true,"x-cleat-renamed-from":"key/value""#
                let code = Self.key.replacing("key/value", with: "code/value").replacing(#""key":"#, with: #""code":"#)
                try other.write(
                    vendor: "schema.d/key.json", code.replacing(#""writeOnly":true"#, with: rename))
                try await otherAgent.reload()
                try await otherAgent.set(["system/hostname": "other"])
                let again = try await other.cleat("snapshot", "restore", "theirs")
                #expect(again.status == 0 && again.output.contains("other -> pump-7"), "\(again)")
                #expect(try other.directory.read("root/etc/key.conf") == "K=mine\n")
            }
        }
    }

    @Test("A file of line feeds is refused at its first line, or for its number of lines, and costs little memory")
    func lineFeeds() async throws {
        try await onBoard { board, agent in
            try await agent.set(Self.first)
            #expect(try await board.cleat("snapshot", "create", "factory").status == 0)
            let header = try #require(try await board.cleat("snapshot", "export", "factory").lines.first)
            let feeds = String(repeating: "\n", count: 3 << 20)
            let settings = try #require(header.split(separator: ",").first { $0.hasPrefix("\"settings\"") })
            let before = try agent.peakMemory()
            let many = header.replacing(settings, with: "\"settings\":3000000") + feeds
            for text in [feeds, header + feeds, many] {
                try board.directory.write(text, to: "feeds.snapshot")
                let refused = try await board.refusal(
                    "snapshot", "import", board.directory.appending("feeds.snapshot"))
                #expect(refused.status != 0 && refused.code == "InvalidExport", "\(refused)")
            }
            // The file's own bytes several times, and not a number of words for each of its lines.
            let more = try agent.peakMemory() - before
            #expect(more < 32 << 20, "\(more) bytes")
            #expect(try await agent.status().generation == 1)
        }
    }

    @Test("An export that gives a group the value of its settings, which no restore could accept, is refused by name")
    func groups() async throws {
        try await onBoard { board, agent in
            try await agent.set(["system/hostname": "one"])
            #expect(try await board.cleat("snapshot", "create", "one").status == 0)
            let export = try await board.cleat("snapshot", "export", "one").lines
            let lines = export.dropLast().map { line in
                line.replacing(
                    #""setting":"system/hostname","value":"one""#,
                    with: #""setting":"system","value":{"hostname":"two"}"#)
            }
            #expect(lines != Array(export.dropLast()))
            let text = lines.joined(separator: "\n") + "\n"
            try board.directory.write(
                text + #"{"sha256":"\#(SHA256.hexadecimal(of: text.utf8))"}"# + "\n", to: "two.snapshot")
            let path = board.directory.appending("two.snapshot")
            let refused = try await board.cleat("snapshot", "import", path, "--name", "two")
            #expect(refused.status != 0 && refused.errorText.contains("system"), "\(refused)")
            #expect(try await !board.cleat("snapshot", "list").output.contains("two"))
            let comment = String(repeating: "x", count: 2_000)
            let long = try await board.cleat("set", "system/hostname=two", "--comment", comment)
            #expect(long.status == 65, "\(long)")
            #expect(!long.errorText.contains("describe"), "\(long)")
        }
    }

    /// Damaged forms of an export, each with a word of the error.
    private static func damages(of text: String) -> [(String, String)] {
        var lines = text.split(separator: "\n").map(String.init)
        let host = lines.firstIndex { $0.hasPrefix(#"{"resource":"file:/etc/hostname""#) } ?? 0
        let good = lines
        func joined(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
        lines[host] = good[host].replacing("\"content\":\"Y2", with: "\"content\":\"Z2")
        var damaged = [(joined(lines), "DamagedObject")]
        lines[host] = good[host].replacing("file:/etc/hostname", with: "file:/etc/hostnamf")
        damaged.append((joined(lines), "InvalidExport"))
        lines = good
        lines[2] = lines[2].replacing("hello", with: "hallo")
        damaged.append((joined(lines), "InvalidExport"))
        damaged.append((joined(good.dropLast()), "InvalidExport"))
        damaged.append((joined(good + [good[1]]), "InvalidExport"))
        damaged.append((joined(Array(good[0...1]) + [good[3], good[2]] + good[4...]), "InvalidExport"))
        damaged.append(
            (joined([good[0].replacing("\"format\":1", with: "\"format\":2")] + good.dropFirst()), "InvalidExport"))
        damaged.append(("", "InvalidExport"))
        damaged.append(("{}\n{}\n", "InvalidExport"))
        return damaged
    }

    @Test("Bad input is refused, with the remedy, and changes nothing")
    func refusals() async throws {
        try await onBoard { board, agent in
            try await agent.set(["system/hostname": "one"])
            for name in ["", String(repeating: "n", count: 65), "tab\there", "line\n"] {
                let refused = try await board.refusal("snapshot", "create", "--", name)
                #expect(refused.status == 65 && refused.code == "InvalidName", "\(refused)")
            }
            #expect(try await board.cleat("snapshot", "create").status == 64)
            #expect(try await board.cleat("snapshot", "create", "mine").status == 0)
            #expect(try await board.cleat("snapshot", "create", "mine").status == 75)
            for arguments in [
                ["show", "x"], ["diff", "x"], ["diff", "mine", "x"], ["restore", "x"], ["delete", "x"],
            ] {
                let refused = try await board.refusal(["snapshot"] + arguments)
                #expect(refused.status == 65 && refused.code == "UnknownSnapshot", "\(refused)")
                #expect(refused.parameters["name"] == "x", "\(refused)")
            }
            let interface = "dev.cleat.Snapshots."
            for (method, parameters) in [
                ("Create", ["name": 1]), ("Create", [:]), ("Show", ["name": "mine", "offset": -1]),
                ("Show", ["name": "mine", "offset": "x"]), ("Restore", ["name": "mine", "files": 1]),
                ("Delete", ["name": "mine", "extra": 1]), ("Import", ["area": "temporary"]),
            ] as [(String, JSONObject)] {
                let refused = try await agent.refusal(interface + method, parameters)
                #expect(refused.name == "org.varlink.service.InvalidParameter", "\(method): \(refused)")
            }
            #expect(
                try await agent.refusal(interface + "Export", ["name": "mine"]).name == "dev.cleat.Events.NotStreaming")
            let areas: [JSONObject] = [
                ["area": "nowhere", "path": "x"], ["area": "temporary", "path": "x"],
                ["area": "temporary", "path": "../x"], ["area": "temporary", "path": ""],
            ]
            for place in areas {
                let refused = try await agent.refusal(interface + "Import", place)
                #expect(refused.name.hasPrefix("dev.cleat.Files."), "\(place): \(refused)")
            }
            let past = try await agent.call(SnapshotsInterface.Show.self, .init(name: "mine", offset: .max))
            #expect(past.settings.isEmpty && past.resources.isEmpty && past.next == nil)
            #expect(try await agent.call(SnapshotsInterface.List.self, .init()).snapshots.map(\.name) == ["mine"])
            #expect(try await agent.status().generation == 1)
        }
    }

    @Test(
        "A file with an attribute of the kernel's is not imported", .tags(.fault))
    func specialRights() async throws {
        try await Board.with { board in
            _ = try await board.start()
            #expect(try await board.cleat("set", "system/hostname=one").status == 0)
            // Without setcap(8), or on a file system that takes none, there is nothing to refuse.
            guard try await board.script("setcap cap_net_raw+ep $D/root/etc/hostname").status == 0 else { return }
            let file = board.directory.appending("rights.snapshot")
            let made = try await board.script(
                #""$CLEAT" snapshot create rights && "$CLEAT" snapshot export rights "$1""#, [file])
            #expect(made.status == 0, "\(made)")
            let refused = try await board.refusal("snapshot", "import", file, "--name", "other")
            #expect(refused.status == 65 && refused.code == "InvalidExport", "\(refused)")
            #expect(try await !board.cleat("snapshot", "list").output.contains("other"))
        }
    }

    @Test(
        "The files of an imported snapshot are root's to restore, and say whose they are and that they differ",
        .tags(.fault), .enabled(if: Machine.isRoot, Machine.rootReason),
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func imported() async throws {
        try await Board.with { board in
            let agent = try await board.start(try await board.makeGroup().options)
            try await board.admitStrangers()
            try #require(try await board.script("mkdir -p $D/root/etc").status == 0)
            try await agent.set(["system/hostname": "one"])
            let file = board.directory.appending("made.snapshot")
            let made = try await board.script(
                """
                echo planted >$D/root/etc/hostname && "$CLEAT" snapshot create made && "$CLEAT" snapshot export made "$1" &&
                "$CLEAT" reapply --all && "$CLEAT" snapshot import "$1" --name other
                """, [file])
            #expect(made.status == 0, "\(made)")
            func member(_ method: String, _ parameters: String) async throws -> JSONObject {
                try await board.call("dev.cleat.Snapshots.\(method)", parameters, as: .member)
            }
            let shown = try await member("Show", #"{"name":"other"}"#)["parameters"]
            #expect(shown?["snapshot"]?["imported_by"] == "root", "\(String(describing: shown))")
            let resource = shown?["resources"]?.arrayValue?.first { $0["resource"] == "file:/etc/hostname" }
            #expect(
                resource?["mode"] == "0644" && resource?["owner"] == "0:0" && resource?["differs"] == true,
                "\(String(describing: shown))")
            let generation = try await agent.status().generation
            for form in ["", #","check":true"#] {
                let refused = try await member("Restore", #"{"name":"other","files":true\#(form)}"#)
                #expect(refused["error"] == "dev.cleat.Service.PermissionDenied", "\(refused)")
            }
            #expect(try await agent.status().generation == generation)
            #expect(try contents(of: FilePath(board.root + "/etc/hostname")) == "one\n")
            let plain = try await member("Restore", #"{"name":"other"}"#)
            #expect(plain["error"] == nil, "\(plain)")
            let restored = try await board.cleat("snapshot", "restore", "other", "--files")
            #expect(restored.status == 0, "\(restored)")
            #expect(try await agent.status().generation == generation + 1)
            #expect(try contents(of: FilePath(board.root + "/etc/hostname")) == "planted\n")
        }
    }

    @Test("An unneeded resource gets its former state, and paths that no schema defines any more are named")
    func today() async throws {
        try await onBoard { board, agent in
            #expect(try await board.cleat("snapshot", "create", "empty").status == 0)
            try await agent.set(Self.first)
            #expect(try await board.cleat("snapshot", "create", "full").status == 0)
            #expect(try await board.cleat("snapshot", "restore", "empty").status == 0)
            #expect(try board.directory.read("root/etc/hostname") == "former\n")
            #expect(try await board.script("test ! -e \"$D/root/etc/motd\"").status == 0)
            let diff = try await board.cleat("snapshot", "diff", "full")
            #expect(diff.lines.contains("- file:/etc/motd") && diff.lines.contains("~ key/value (secret)"), "\(diff)")
            #expect(try await board.script("rm \"$D/root/usr/lib/cleat/schema.d/motd.json\"").status == 0)
            _ = try await agent.stop()
            let second = try await board.start()
            let note = "unchanged, since no schema defines it any more: motd/text"
            for words in [["--check"], []] {
                #expect(try board.directory.read("root/etc/hostname") == "former\n")
                let told = try await board.script(#"exec "$CLEAT" snapshot restore full "$@""#, words)
                #expect(told.status == 0 && told.output.contains(note), "\(told)")
            }
            #expect(try board.directory.read("root/etc/hostname") == "pump-7\n")
            #expect(try await board.script("test ! -e \"$D/root/etc/motd\"").status == 0)
            #expect(try await board.cleat("snapshot", "restore", "full").output.contains(note))
            #expect(try await second.get("system/hostname") == "pump-7")
        }
    }
}
