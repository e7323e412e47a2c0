import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// Tests of files that are included in a change of settings, with the real programs.
@Suite("Files that belong to settings, end to end", .serialized)
struct DocumentTests {
    /// Applies settings with files, whose contents are written to files of the test first.
    private static func apply(
        _ board: Board, _ settings: String, _ files: [String: String], _ options: [String] = [],
        verb: [String] = ["apply", "-"]
    ) async throws -> Board.Finished {
        var arguments = verb
        for (number, file) in files.sorted(by: { $0.key < $1.key }).enumerated() {
            try board.directory.write(file.value, to: "file-\(number)")
            arguments += ["--file", "\(file.key)=\(board.directory.appending("file-\(number)"))"]
        }
        return try await board.script(#"exec "$CLEAT" "$@""#, arguments + options, input: settings)
    }

    /// Everything in the area, with contents, modes and kinds.
    private static func documents(_ board: Board) async throws -> String {
        try await board.script(
            #"cd "$D/state/files/documents" && find . -exec stat -c '%n %a %F' {} + | sort && find . -type f -exec cksum {} + | sort"#
        ).output
    }

    private static func read(_ board: Board, _ path: String) throws -> String {
        try contents(of: FilePath(board.state + "/files/documents/" + path))
    }

    /// Writes files that all users may read; their replacements keep the mode.
    private static func open(_ board: Board, _ paths: [String]) async throws {
        for path in paths {
            let put = #"echo | "$CLEAT" file put --mode 0644 - "documents/$1""#
            _ = ok(try await board.script("mkdir -p \"$D/state/files/documents/certs\" && \(put)", [path]))
        }
    }

    private static func hash(_ text: String) -> String { "sha256:" + SHA256.hexadecimal(of: text.utf8) }

    private static func ok(_ finished: Board.Finished, _ location: SourceLocation = #_sourceLocation) -> String {
        #expect(finished.status == 0, "\(finished)", sourceLocation: location)
        return finished.output
    }

    @Test("They change with the settings: on trial, reverted, confirmed, compared, rolled back, after a restart too")
    func life() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            _ = Self.ok(
                try await board.script(
                    #"mkdir "$D/state/files/documents/own" && echo mine >"$D/state/files/documents/own/x""#))
            let before = try await Self.documents(board)

            let trial = Self.ok(
                try await Self.apply(
                    board, "{system: {hostname: 'one'}}", ["certs/ca.pem": "CA 1\n", "own/x": "theirs\n"],
                    ["--confirm", "1h", "--id", "trial"]))
            #expect(trial.contains("documents/certs~1ca.pem: unset -> \(Self.hash("CA 1\n"))"), "\(trial)")
            #expect(try Self.read(board, "certs/ca.pem") == "CA 1\n" && Self.read(board, "own/x") == "theirs\n")
            await agent.kill()
            agent = try await board.start()
            #expect(try Self.read(board, "certs/ca.pem") == "CA 1\n")
            _ = Self.ok(try await board.cleat("abort", "trial"))
            #expect(try await Self.documents(board) == before)
            #expect(try await agent.call(FilesInterface.Uploads.self, .init()).uploads.isEmpty)

            let done = Self.ok(
                try await Self.apply(
                    board, "{system: {hostname: 'one'}}", ["certs/ca.pem": "CA 1\n", "own/x": "theirs\n"]))
            let first = try await agent.status().generation
            let results = try await agent.generation(first)?.results?.filter { $0.state == .applied } ?? []
            for place in ["documents/certs/ca.pem", "documents/own/x"] {
                #expect(done.contains(place) && results.contains { $0.message.contains(place) }, "\(results)")
            }
            let one = try await Self.documents(board)
            _ = Self.ok(try await Self.apply(board, "{system: {hostname: 'two'}}", ["certs/ca.pem": "CA 2\n"]))
            let diff = Self.ok(try await board.cleat("diff", "\(first)", "\(first + 1)"))
            #expect(diff.contains("documents/certs~1ca.pem") && diff.contains(Self.hash("CA 2\n")), "\(diff)")
            let shown = Self.ok(try await board.cleat("show", "\(first + 1)"))
            #expect(shown.contains("\(Self.hash("CA 1\n")) -> \(Self.hash("CA 2\n"))"), "\(shown)")
            let again = Self.ok(
                try await Self.apply(
                    board, "{system: {hostname: 'two'}}", ["certs/ca.pem": "CA 2\n"], ["--output", "json"]))
            #expect(try JSONReader.read(again)["state"] == "unchanged", "\(again)")

            _ = Self.ok(try await board.cleat("rollback", "\(first)"))
            #expect(try await Self.documents(board) == one)
            #expect(try await agent.get("system/hostname") == "one")
            _ = Self.ok(try await board.cleat("rollback", "0"))
            #expect(try await Self.documents(board) == before)
            try await agent.stop()
            agent = try await board.start()
            _ = Self.ok(try await board.cleat("rollback", "\(first + 1)"))
            #expect(try Self.read(board, "certs/ca.pem") == "CA 2\n")
            #expect(try await board.cleat("drift").output == "no outside edits found\n")
            _ = Self.ok(try await board.cleat("unset", "documents/certs~1ca.pem", "documents/own~1x"))
            #expect(try await Self.documents(board) == before)
        }
    }

    /// Plans and snapshots are made of what the life of documents and their adapter's own tests show on boards, too.
    static let isQuick = TestMachine.slowness == 1
    private static let reason: Comment = "nothing of it differs on a board, and it takes long there"

    @Test("They are planned and rehearsed, and applied below a root directory", .enabled(if: isQuick, reason))
    func plans() async throws {
        try await Board.with { board in
            _ = try await board.start()
            try await Self.open(board, ["motd", "image"])
            _ = Self.ok(
                try await Self.apply(board, "{}", ["motd": "hello\n", "image": "a\u{0}b", "k.pem": "old key\n"]))
            let before = try await Self.documents(board)
            let files = [
                "motd": "hello\nworld\n", "image": "a\u{0}c", "k.pem": "a new key\n", "new/file": "new content\n",
            ]
            let plan = Self.ok(try await Self.apply(board, "{}", files, [], verb: ["plan", "--apply", "-"]))
            for line in [
                "change documents/motd", "  +++ b/documents/motd", "  +world",
                "change documents/image", "  its content is not text: 3 bytes before, 3 after",
                "create documents/new/file: a file of mode 0640", "nothing was changed",
                "change documents/k.pem\n  its content is not shown: not all users may read it",
            ] {
                #expect(plan.contains(line), "\(line) in \(plan)")
            }
            // Not all users may read the new file.
            #expect(!plan.contains("key\n") && !plan.contains("new content"), "\(plan)")
            let rehearsed = Self.ok(
                try await Self.apply(board, "{}", files, ["--rehearse"], verb: ["plan", "--apply", "-"]))
            #expect(rehearsed.contains("documents/new/file"), "\(rehearsed)")
            #expect(try await Self.documents(board) == before)
            let json = try JSONReader.read(
                Self.ok(try await Self.apply(board, "{}", files, ["--check", "--output", "json"])))
            #expect(json["changes"]?.arrayValue?.count == 4, "\(json)")

            let image = try await board.script(
                #"cd "$D" && mkdir img tmp && echo '{}' | TMPDIR="$D/tmp" "$CLEAT" --root "$D/img" apply --file a/b=file-0 - && find img -path '*documents/a/b' -exec cat {} +"#,
                environment: ["CLEAT_SOCKET": "/nowhere/socket"])
            #expect(Self.ok(image).hasSuffix("a\u{0}c"), "\(image)")
        }
    }

    @Test(
        "A snapshot restores them when the history has deleted them, and on another board",
        .enabled(if: isQuick, reason))
    func snapshots() async throws {
        try await Board.with { board in
            _ = try await board.start()
            try await Self.open(board, ["certs/ca.pem"])
            _ = Self.ok(
                try await Self.apply(
                    board, "{system: {hostname: 'one'}}", ["certs/ca.pem": "CA 1\n", "certs/k.pem": "the key\n"]))
            _ = Self.ok(try await board.cleat("snapshot", "create", "first"))
            _ = Self.ok(try await Self.apply(board, "{system: {hostname: 'two'}}", ["certs/ca.pem": "CA 2\n"]))
            let diff = Self.ok(try await board.cleat("snapshot", "diff", "first"))
            #expect(diff.contains("~ document:certs/ca.pem"), "\(diff)")
            let path = board.directory.appending("first.snapshot")
            // An export omits files that not all users may read, and the settings that name them.
            let export = Self.ok(try await board.cleat("snapshot", "export", "first", path))
            let left = export.split(separator: "\n").filter { $0.hasPrefix("omitted, ") }
            #expect(left.count == 2, "\(export)")
            #expect(left.allSatisfy { $0.hasSuffix("documents/certs~1k.pem") || $0.hasSuffix("document:certs/k.pem") })
            let text = try board.directory.read("first.snapshot")
            #expect(!text.contains(Self.hash("the key\n")) && text.contains(Self.hash("CA 1\n")), "\(text)")
            for line in text.split(separator: "\n") {
                let content = try JSONReader.read(String(line))["content"]?.stringValue.flatMap(Base64.decode) ?? []
                #expect(!String(decoding: content, as: UTF8.self).contains("the key"))
            }
            _ = Self.ok(try await board.cleat("snapshot", "restore", "first"))
            #expect(try Self.read(board, "certs/ca.pem") == "CA 1\n")
            try await Board.with { other in
                let agent = try await other.start()
                _ = Self.ok(try await other.cleat("snapshot", "import", path))
                _ = Self.ok(try await other.cleat("snapshot", "restore", "first", "--confirm", "1h", "--id", "t"))
                #expect(try Self.read(other, "certs/ca.pem") == "CA 1\n")
                #expect(throws: (any Error).self) { try Self.read(other, "certs/k.pem") }
                #expect(try await agent.get("system/hostname") == "one")
                _ = Self.ok(try await other.cleat("abort", "t"))
                #expect(try await Self.documents(other).split(separator: "\n").count == 1)
            }
        }
    }

    @Test(
        "Outside edits are reported, adopted or overwritten, and missing files are written at startup"
    )
    func drift() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            _ = Self.ok(try await Self.apply(board, "{}", ["a": "first\n", "b": "second\n"]))
            _ = Self.ok(try await board.script(#"echo by hand | "$CLEAT" file put - documents/a"#))
            let drift = try await agent.call(SystemInterface.Drift.self, .init()).drift
            #expect(drift.map(\.name) == ["documents/a"] && drift.first?.setting == "documents/a", "\(drift)")
            let refused = try await Self.apply(board, "{}", ["a": "third\n"])
            #expect(refused.status == 65 && refused.errorText.contains("cleat adopt"), "\(refused)")
            _ = Self.ok(try await board.cleat("adopt", "documents/a"))
            #expect(try await agent.get("documents/a") == .string(Self.hash("by hand\n")))
            let generation = try await agent.status().generation
            _ = Self.ok(try await board.cleat("rollback", "\(generation - 1)"))
            #expect(try Self.read(board, "a") == "first\n")
            _ = Self.ok(try await board.cleat("rollback", "\(generation)"))
            #expect(try Self.read(board, "a") == "by hand\n")
            try board.directory.write("again", to: "state/files/documents/b")
            _ = Self.ok(try await board.cleat("reapply", "documents/b", "--confirm", "1h", "--id", "anew"))
            #expect(try Self.read(board, "b") == "second\n")
            _ = Self.ok(try await board.cleat("abort", "anew"))
            #expect(try Self.read(board, "b") == "again")
            _ = Self.ok(try await board.cleat("reapply", "documents/b"))
            #expect(try Self.read(board, "b") == "second\n")
            try await agent.stop()
            try SystemCalls.remove(board.state + "/files/documents/b")
            _ = try await board.start()
            #expect(try Self.read(board, "b") == "second\n")
        }
    }

    @Test("Invalid requests are refused by name, and nothing has changed")
    func refusals() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            _ = Self.ok(try await Self.apply(board, "{}", ["a": "first\n"]))
            try board.directory.makeDirectory("state/files/documents/directory")
            let (before, generation) = (try await Self.documents(board), try await agent.status().generation)
            for (path, words) in [("directory", "directory"), ("a/b", "a has a file"), (".cleat-x", "--file")] {
                let refused = try await Self.apply(board, "{system: {hostname: 'no'}}", [path: "x"])
                #expect([64, 65].contains(refused.status) && refused.errorText.contains(words), "\(path): \(refused)")
                #expect(refused.errorText.contains(path), "\(refused)")
            }
            let long = String(repeating: "x", count: 1_000_001)
            for (arguments, words) in [
                (["--file", "x"], "x"), (["--file", "../x=/etc/hostname"], "../x"),
                (["--file", "x=/nowhere"], "/nowhere"), (["--file", "x=/dev/zero"], "/dev/zero is too large"),
                (["--file", "x=/etc/hosts", "--file", "x=/etc/hosts"], "twice"),
                (["--volatile", "--file", "x=/etc/hosts"], "--volatile"),
            ] {
                let refused = try await board.script(#"exec "$CLEAT" apply "$@" -"#, arguments, input: "{}")
                #expect(refused.status != 0 && refused.errorText.contains(words), "\(arguments): \(refused)")
            }
            #expect(try await Self.apply(board, "{}", ["x": long]).errorText.contains("1000000"))
            let other = try await Self.apply(board, "{documents: {x: '\(Self.hash("y"))'}}", ["x": "z"])
            #expect(other.status == 65, "\(other)")
            let unknown = try await board.cleat("set", "documents/x=\(Self.hash("unknown"))")
            #expect(unknown.status == 65, "\(unknown)")
            #expect(try await board.cleat("set", "--volatile", "documents/x=\(Self.hash("first\n"))").status == 65)
            #expect(try await board.cleat("set", "documents/x=sha256:0").status == 65)
            #expect(try await Self.documents(board) == before)
            #expect(try await agent.status().generation == generation)
            #expect(try await agent.call(FilesInterface.Uploads.self, .init()).uploads.isEmpty)
        }
    }

    @Test("Incomplete, damaged, duplicate and unneeded uploads are refused by their ids")
    func uploads() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            func begin(_ id: String, _ text: String, sending: String) async throws {
                _ = try await agent.call(
                    FilesInterface.Begin.self,
                    .init(
                        id: id, area: "temporary", path: id, size: Int64(text.utf8.count),
                        sha256: SHA256.hexadecimal(of: text.utf8)))
                _ = try await agent.call(
                    FilesInterface.Write.self, .init(id: id, offset: 0, data: Base64.encode(Array(sending.utf8))))
            }
            try await begin("whole", "content", sending: "content")
            try await begin("half", "half of it", sending: "half")
            try await begin("other", "expected", sending: "received")
            try await begin("stray", "stray", sending: "stray")
            try await begin("huge", String(repeating: "x", count: 1_000_001), sending: "x")
            let change = RequestedChange(path: "documents/x", value: .string(Self.hash("content")))
            for (ids, word) in [
                (["none"], "not an upload"), (["whole", "half"], "only 4 bytes"), (["whole", "other"], "announced"),
                (["whole", "stray"], "no change names"), (["whole", "whole"], "twice"), (["huge"], "1000000"),
                ((0..<65).map { "id-\($0)" }, "at most 64"),
            ] {
                let parameters = SettingsInterface.Set.Parameters(changes: [change], uploads: ids)
                let refused = "\(try await agent.refusal(SettingsInterface.Set.name, parameters.wire))"
                #expect(refused.contains("uploads") && refused.contains(word), "\(word): \(refused)")
            }
            #expect(try await agent.status().generation == 0)
            let parameters = SettingsInterface.Set.Parameters(changes: [change], id: "once", uploads: ["whole"])
            #expect(try await agent.call(SettingsInterface.Set.self, parameters).state == .confirmed)
            #expect(try Self.read(board, "x") == "content")
            _ = try await agent.call(FilesInterface.Abort.self, .init(id: "whole"))
            // A client that has lost the answer repeats the call; the upload no longer exists.
            #expect(try await agent.call(SettingsInterface.Set.self, parameters).state == .repeated)
        }
    }
}
