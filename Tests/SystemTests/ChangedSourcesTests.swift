import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of changes, on trial and not, if the board's files have changed or are missing when they end, with the real
/// programs.
@Suite("Schema files that change or are removed after they have written files", .serialized)
struct ChangedSourcesTests {
    /// Files that all hold one setting, each behind words of its own.
    private static func schema(_ files: [String: String]) -> String {
        let rules = files.sorted { $0.key < $1.key }.map { path, words in
            #"{"file": "\#(path)", "escape": "line", "template": "\#(words) {{motd/text}}\n"}"#
        }
        return """
            {"type": "object", "properties": {"motd": {"type": "object", "properties": {
              "text": {"type": "string", "default": "nothing"}}}}, "x-cleat-apply": [\(rules.joined(separator: ", "))]}
            """
    }

    private static let file = "schema.d/50-motd.json"

    private static func read(_ board: Board, _ path: String) -> String? {
        try? contents(of: FilePath(board.root + path))
    }

    private static func prepare(_ board: Board) async throws -> RunningAgent {
        try board.makeSourceDirectories()
        try SystemCalls.makeDirectory(board.root + "/etc")
        try board.directory.write("was here\n", to: "root/etc/motd", mode: 0o640)
        try board.write(vendor: file, schema(["/etc/motd": "A", "/etc/motd.d": "D"]))
        return try await board.start()
    }

    /// Has the files read again, and waits until they hold.
    private static func reload(
        _ board: Board, _ agent: RunningAgent, _ text: String, until isSo: @escaping @Sendable () -> Bool
    )
        async throws
    {
        try board.write(vendor: file, text)
        Signal.hangUp.send(to: try agent.pid)
        try await board.eventually("the files hold") { isSo() }
    }

    @Test("A trial ends properly although its schema file is missing, or is refused", arguments: [nil, "{,"])
    func trialWithoutSchema(text: String?) async throws {
        try await Board.with { board in
            var agent = try await Self.prepare(board)
            let set = try await board.cleat("set", "motd/text=tried", "--confirm", "10m", "--id", "t1")
            #expect(set.status == 0, "\(set)")
            #expect(Self.read(board, "/etc/motd") == "A tried\n" && Self.read(board, "/etc/motd.d") == "D tried\n")
            await agent.kill()
            if let text {
                try board.write(vendor: Self.file, text)
            } else {
                try SystemCalls.remove(board.root + "/usr/lib/cleat/" + Self.file)
            }
            agent = try await board.start()
            #expect(try await agent.status().trial?.id == "t1")
            let aborted = try await board.cleat("abort", "t1")
            #expect(aborted.status == 0, "\(aborted)")
            #expect(Self.read(board, "/etc/motd") == "was here\n" && Self.read(board, "/etc/motd.d") == nil)
            #expect(try await board.cleat("drift").status == 0)
            try await agent.set(["system/hostname": "next"])
        }
    }

    @Test("A file of a rule that was removed while the service was down is restored")
    func confirmedWithoutRule() async throws {
        try await Board.with { board in
            var agent = try await Self.prepare(board)
            try await agent.set(["motd/text": "kept"])
            try await agent.stop()
            try board.write(vendor: Self.file, Self.schema(["/etc/motd2": "B"]))
            agent = try await board.start()
            #expect(Self.read(board, "/etc/motd") == "was here\n" && Self.read(board, "/etc/motd.d") == nil)
            #expect(Self.read(board, "/etc/motd2") == "B kept\n")
            #expect(try await board.cleat("drift").status == 0)
        }
    }

    @Test("The end of a trial uses the present files", arguments: ["abort", "confirm"])
    func otherRules(verb: String) async throws {
        try await Board.with { board in
            let agent = try await Self.prepare(board)
            try await agent.set(["motd/text": "before"])
            let set = try await board.cleat("set", "motd/text=tried", "--confirm", "10m", "--id", "t1")
            #expect(set.status == 0, "\(set)")
            // The files of the trial are unchanged meanwhile; another file has its value.
            try await Self.reload(board, agent, Self.schema(["/etc/motd": "B", "/etc/motd.d": "D", "/etc/third": "C"]))
            {
                Self.read(board, "/etc/third") == "C tried\n"
            }
            #expect(Self.read(board, "/etc/motd") == "A tried\n")
            let ended = try await board.cleat(verb, "t1")
            #expect(ended.status == 0, "\(ended)")
            let value = verb == "abort" ? "before" : "tried"
            for (path, word) in [("/etc/motd", "B"), ("/etc/motd.d", "D"), ("/etc/third", "C")] {
                #expect(Self.read(board, path) == "\(word) \(value)\n", "\(path)")
            }
            #expect(try await board.cleat("drift").status == 0)
        }
    }

    @Test("A rule whose directory may be made since a reload makes it")
    func declaredAgain() async throws {
        try await Board.with { board in
            let agent = try await Self.prepare(board)
            let rule = Self.schema(["/srv/new/motd": "A"])
            try await Self.reload(board, agent, rule) { true }
            try await board.eventually("the rule holds") {
                let set = try await board.cleat("set", "--check", "motd/text=x")
                return set.status == 65 && set.errorText.contains("makeDirectories")
            }
            try board.write(
                vendor: Self.file, rule.replacing(#""escape""#, with: #""makeDirectories": true, "escape""#))
            Signal.hangUp.send(to: try agent.pid)
            try await board.eventually("its directory may be made") {
                try await board.cleat("set", "motd/text=x").status == 0
            }
            #expect(Self.read(board, "/srv/new/motd") == "A x\n")
        }
    }
}
