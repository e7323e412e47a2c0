import ArgumentParser
import CleatTestSupport
import Testing

@testable import cleat

/// The commands that are read without the argument parser, compared with what the parser reads.
@Suite struct QuickCommandTests {
    /// A request with the options for the board, as text.
    private static func text(_ request: any ServiceRequest, _ options: BoardOptions) -> String {
        "\(String(reflecting: request)) \(options)"
    }

    /// Returns what the parser reads, as text; nil if it refuses it.
    private static func parsed(_ words: [String]) -> String? {
        guard (try? ArgumentOrder.requireOneHost(words)) != nil else { return nil }
        let command = try? CleatCommand.parseAsRoot(ArgumentOrder.hoisted(words, root: CleatCommand.self))
        switch command {
        case let command as any RequestCommand: return text(command.request, command.options.board)
        case let command as DescribeCommand where !command.markdown && !command.builtin:
            return text(ServiceQuestion.describe(path: command.path), command.options.board)
        case let command as PlanCommand where !command.rollback && !command.reset && command.apply == nil:
            return (try? command.changes()).map { text(PlanRequest(changes: $0), command.options.board) }
        case let command as SetCommand where isPlain(command.trial, command.guarding) && command.typed == nil:
            var changes = SetSettings(removals: [], command.write, command.kind)
            guard let assignments = try? SetCommand.assignments(command.changes) else { return nil }
            changes.assignments = assignments
            return text(changes, command.options.board)
        case let command as UnsetCommand where isPlain(command.trial, command.guarding):
            return text(SetSettings(removals: command.paths, command.write, command.kind), command.options.board)
        default: return nil
        }
    }

    private static func isPlain(_ trial: TrialOptions, _ guarding: GuardOptions) -> Bool {
        !trial.isAsked && !trial.wait && !guarding.mayCutOff
    }

    private static func quick(_ words: [String]) -> String? {
        QuickCommand(words).map { text($0.request, $0.options) }
    }

    /// A command with the words that it may have, some of which are options with their values.
    private struct Form: Sendable {
        var name: String
        var parts: [[String]]

        init(_ name: String, _ parts: String...) { self.init(name, parts) }

        init(_ name: String, _ parts: [String]) {
            self.name = name
            self.parts = parts.map { $0.split(separator: " ").map(String.init) }
        }
    }

    private static let write = ["--expect 3", "--id x", "-c text", "--comment=a b", "--comment c"]
    private static let change = ["-v", "--verbose", "--volatile", "--check", "--yes-cut-me-off"] + write
    private static let forms = [
        Form("get", "a", "a/b", "--reveal", "--default"), Form("why", "a", "--reveal"),
        Form("list", "a", "--only-set", "--reveal"), Form("describe", "a", "--markdown", "--builtin"),
        Form("log", "-n 5", "--limit 3", "--limit=0", "--before 7", "--before=8", "x"), Form("show", "3", "a-b"),
        Form("diff", "1", "2", "x", "0x1"), Form("doctor", "x"), Form("drift", "x"), Form("links"), Form("location"),
        Form("devices", "--subsystem block", "--subsystem=usb"), Form("power", "--all"),
        Form("status", "--counters"), Form("export", "a", "--defaults", "--reveal", "--format json", "--format xml"),
        Form("watch", "a", "b", "--no-initial", "-n 2", "--count=3", "--count 0"),
        Form(
            "events", "--source link", "--source=device", "--source moon", "--action a*", "--subject */b",
            "--properties", "--instance i", "--after 7", "-n 1", "--count 0"),
        Form("hook list"), Form("snapshot list"), Form("snapshot show", "a"), Form("snapshot delete", "a", "b"),
        Form("snapshot create", "a", "-c text", "--comment=x"), Form("file ls", "documents", "-r", "--recursive"),
        Form("file stat", "documents/a", "--sha256"), Form("file cat", "documents/a", "inbox/b"), Form("file df"),
        Form("file exists", "documents/a", "--readable", "--writable", "-v"),
        Form("set", ["a=1", "b=", "b/c=2", "d=x=y", "c", "network/interfaces/e/mtu=1", "--stdin d"] + change),
        Form("unset", ["a", "network"] + change),
        Form(
            "plan",
            [
                "a=1", "b/c=2", "d=x=y", "b", "--unset c", "--apply f", "--replace", "--prefix a", "--rollback",
                "--reset", "--volatile",
            ]
                + ["--rehearse"] + write),
    ]
    /// Words that any command may have, most of which are for the parser to refuse.
    private static let others = Form(
        "", "--output json", "--output=json-lines", "--output xml", "-H b", "--host=u@b:22", "-P 22", "--port=x",
        "--ssh s", "--socket /s", "--socket=", "--root /r", "--remote-command=x", "--", "-", "-n5", "-rv", "--bogus",
        "--bogus x", "--help", "-h", "--version", "x", "-1", "--confirm 2m", "--until tcp:a:1", "--wait", "--file a=b"
    ).parts

    @Test("What is read without the parser is what the parser reads, in 2,000 command lines")
    func agrees() throws {
        var random = SeededGenerator(seed: 7)
        var found: [String: Int] = [:]
        for _ in 0..<2_000 {
            let form = try #require(Self.forms.randomElement(using: &random))
            var parts = form.parts.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
                .map { $0 }
            while Int.random(in: 0..<5, using: &random) == 0 {
                parts.insert(
                    try #require(Self.others.randomElement(using: &random)),
                    at: Int.random(in: 0...parts.count, using: &random))
            }
            // The name is first, or after one part.
            var names = form.name.split(separator: " ").map(String.init)
            if names.count == 2, Int.random(in: 0..<8, using: &random) == 0, let part = parts.popLast() {
                names.insert(contentsOf: part, at: 1)
            }
            parts.insert(names, at: Int.random(in: 0..<8, using: &random) == 0 ? min(1, parts.count) : 0)
            let words = parts.flatMap { $0 }
            guard let quick = Self.quick(words) else { continue }
            #expect(quick == Self.parsed(words), "\(words)")
            found[form.name, default: 0] += 1
        }
        #expect(Set(found.keys) == Set(Self.forms.map(\.name)), "\(found)")
    }

    @Test("Each option of each command in each of its forms is read without the parser")
    func isRead() {
        for words in [
            ["get", "a", "--reveal"], ["get", ""], ["set", "a=-1", "b="],
            ["set", "a=1", "--comment", "x y", "--expect=4"],
            ["set", "a=1", "--check"], ["unset", "a", "--volatile"],
            ["list", "--only-set"], ["log", "-n", "5", "--before=7"], ["diff", "1", "2"], ["status", "--counters"],
            ["plan", "a=1", "--unset", "b"], ["plan", "network/interfaces/e/mtu=1"],
            ["watch", "a", "-n", "1", "--no-initial"],
            ["events", "--source", "link", "--source=device", "--properties", "-n", "1"],
            ["export", "--format=json", "a"], ["-H", "b", "snapshot", "list"], ["file", "ls", "-r", "documents"],
            ["--root", "/r", "get", "a"], ["get", "a", "--host=b", "-P", "22", "--output", "json"],
            ["snapshot", "create", "a b", "-c", "x"], ["hook", "list", "--output=json"], ["show"],
        ] {
            #expect(Self.quick(words) != nil, "\(words)")
            #expect(Self.quick(words) == Self.parsed(words), "\(words)")
        }
    }

    @Test(
        "Other forms, and all errors, are left to the parser",
        arguments: [
            [], ["get"], ["get", "a", "b"], ["get", "-h"], ["get", "--", "a"], ["get", "a", "--output", "xml"],
            ["get", "a", "-P", "x"], ["get", "a", "-Hb"], ["get", "a", "-H", "a", "-H", "b"],
            ["get", "a", "--socket="],
            ["get", "a", "--reveal", "--reveal"], ["get", "a", "--output"], ["get", "a", "--socket", "-x"],
            ["--reveal", "get", "a"], ["--bogus", "x", "get", "a"], ["log", "-n5"], ["log", "--limit", "0"],
            ["log", "--limit", "x"], ["log", "-n", "1", "--limit", "2"], ["set"], ["set", "a=1", "--confirm", "2m"],
            ["unset"], ["diff", "a"], ["diff", "1", "2", "3"], ["events", "--source", "moon"], ["watch", "-n", "0"],
            ["snapshot"], ["snapshot", "--output", "json", "list"], ["snapshot", "create"],
            ["snapshot", "restore", "a"],
            ["hook", "run", "a"], ["file", "put", "a", "b"], ["plan"], ["plan", "--reset", "--rollback"], ["reset"],
            ["plan", "--rollback", "12"],
            ["set", "a=1", "--id", "x"], ["unset", "a", "--id=x"], ["file", "-r", "ls", "documents"],
            ["snapshot", "--comment=text", "create", "a"], ["file", "--readable", "exists", "documents/a"],
            ["set", "a=1", "--comment=\u{200d}x"], ["snapshot", "create", "a", "--comment=\u{301}x"],
            ["set", "network/interfaces/e/mtu=1"], ["unset", "network"], ["set", "a=1", "-H", "b"],
            ["set", "a=1", "-v"],
            ["-H", "b", "unset", "a"], ["snapshot", "create", "-H", "b", "a"], ["describe", "--markdown"],
        ])
    func isLeft(_ words: [String]) { #expect(Self.quick(words) == nil) }
}

extension SetSettings {
    fileprivate init(removals: [String], _ write: WriteOptions, _ kind: ChangeKindOptions) {
        self.init(
            removals: removals, expect: write.expect, id: write.id, comment: write.comment, volatile: kind.volatile,
            check: kind.check)
    }
}
