import ArgumentParser
import CleatAPI
import CleatIO
import CleatViews
import SystemPackage
import Testing

@testable import cleat

@Suite struct QuickCommandTests {
    @Test(
        arguments: [
            (["get", "system/hostname"], .ask(.get(path: "system/hostname"))), (["get", ""], .ask(.get(path: ""))),
            (["set", "a=1"], Assignment("a=1").map { .set([$0]) }),
            (["set", "a=1", "b/c=x=y"], [Assignment("a=1"), Assignment("b/c=x=y")].allOrNil.map { .set($0) }),
            (["set", "a=-1"], Assignment("a=-1").map { .set([$0]) }),
            (["set", "a="], Assignment("a=").map { .set([$0]) }),
            (["why", "a"], .ask(.why(path: "a"))), (["list"], .ask(.list(prefix: nil))),
            (["list", "a"], .ask(.list(prefix: "a"))), (["log"], .ask(.log())), (["status"], .ask(.status())),
            (["diff"], .ask(.diff(from: nil, to: nil))), (["diff", "1"], .ask(.diff(from: 1, to: nil))),
            (["diff", "1", "2"], .ask(.diff(from: 1, to: 2))), (["doctor"], .ask(.doctor)), (["drift"], .ask(.drift)),
            (["devices"], .ask(.devices())), (["links"], .ask(.links)), (["power"], .ask(.power())),
            (["location"], .ask(.location)), (["snapshot", "list"], .ask(.snapshots)),
            (["snapshot", "create", "a b"], .snapshot(.create(name: "a b"))),
            (["snapshot", "delete", "list"], .snapshot(.delete(name: "list"))),
            (["snapshot", "create"], nil), (["snapshot", "create", "a", "b"], nil), (["snapshot", "delete"], nil),
            (["snapshot", "create", "a", "-c", "x"], nil), (["snapshot", "restore", "a"], nil),
            ([], nil), (["get"], nil), (["set"], nil), (["get", "a", "b"], nil), (["get", "-h"], nil),
            (["get", "--", "a"], nil), (["set", "a"], nil), (["set", "=1"], nil), (["set", "a=1", "--id", "x"], nil),
            (["set", "network/interfaces/e/mtu=1"], nil), (["unset", "network"], nil), (["unset"], nil),
            (["unset", "a", "b"], .unset(["a", "b"])), (["describe"], .ask(.describe(path: nil))),
            (["describe", "a"], .ask(.describe(path: "a"))), (["diff", "a"], nil),
            (["diff", "1", "2", "3"], nil), (["list", "--only-set"], nil), (["status", "--counters"], nil),
            (["snapshot"], nil), (["snapshot", "show"], nil), (["snapshot", "list", "x"], nil), (["log", "x"], nil),
        ] as [([String], QuickCommand.Action?)])
    func isRecognised(_ arguments: [String], _ action: QuickCommand.Action?) {
        #expect(QuickCommand(arguments)?.action == action)
        if action != nil { #expect(QuickCommand(arguments)?.options == BoardOptions()) }
    }

    /// Every form of the options of every command, before and after the verb, is read as the parser reads it, or left to
    /// it.
    @Test(arguments: [
        ["--socket", "/s"], ["--socket=/s"], ["-H", "b"], ["--host", "u@b:22"], ["--host=b"], ["-P", "22", "-H", "b"],
        ["--port=22", "--host=b"], ["--ssh", "ssh -4", "-H", "b"], ["--remote-command=x y", "-H", "b"],
        ["--output", "json"], ["--output=json-lines"], ["--socket", ""], ["--output=text"],
        ["-H", "b", "--output", "json"],
    ])
    func options(_ options: [String]) throws {
        for words in [options + ["get", "a"], ["get"] + options + ["a"], ["get", "a"] + options] {
            let quick = try #require(QuickCommand(words), "\(words)")
            let parsed = try CleatCommand.parseAsRoot(ArgumentOrder.hoisted(words, root: CleatCommand.self))
            #expect(quick.action == .ask(.get(path: "a")))
            #expect(quick.options == (parsed as? GetCommand)?.options.board, "\(words)")
        }
    }

    @Test("Options between the names of a command, and changes of another board, are left to the parser")
    func leftToTheParser() {
        #expect(QuickCommand(["snapshot", "--output", "json", "list"]) == nil)
        #expect(QuickCommand(["--output", "json", "snapshot", "list"])?.action == .ask(.snapshots))
        #expect(QuickCommand(["snapshot", "list", "--output", "json"])?.action == .ask(.snapshots))
        #expect(QuickCommand(["snapshot", "create", "-H", "b", "a"]) == nil)
        #expect(QuickCommand(["snapshot", "--socket", "/s", "create", "a"]) == nil)
        #expect(QuickCommand(["snapshot", "create", "--socket", "/s", "a"])?.action == .snapshot(.create(name: "a")))
        #expect(QuickCommand(["set", "a=1", "-H", "b"]) == nil && QuickCommand(["-H", "b", "unset", "a"]) == nil)
        #expect(QuickCommand(["set", "a=1", "--socket", "/s"]) != nil)
    }

    @Test(arguments: [
        ["--output", "xml"], ["--output"], ["-P", "x"], ["-Hb"], ["-H=b"], ["--socket", "-x"], ["--root", "/r"],
        ["-H", "a", "-H", "b"], ["--socket", "a", "--socket=b"], ["--output=json", "--output=text"], ["--bogus", "x"],
        ["--output=text", "--output=text"], ["-P", "1", "--port=1"], ["-v"], ["--socket="], ["--"], ["--help"], ["-"],
    ])
    func otherForms(_ options: [String]) {
        #expect(QuickCommand(["get", "a"] + options) == nil)
        #expect(QuickCommand(options + ["get", "a"]) == nil)
    }

    /// The quick way and the parser read the same.
    @Test func agreesWithTheParser() throws {
        let get = try #require(try CleatCommand.parseAsRoot(["get", "a/b"]) as? GetCommand)
        #expect(get.path == "a/b")
        let set = try #require(try CleatCommand.parseAsRoot(["set", "a=-1", "b="]) as? SetCommand)
        #expect(set.changes == ["a=-1", "b="])
        let create = try #require(
            try CleatCommand.parseAsRoot(["snapshot", "create", "a b"]) as? SnapshotCreateCommand)
        #expect(create.name == "a b" && create.comment == nil)
        let delete = try #require(try CleatCommand.parseAsRoot(["snapshot", "delete", "a"]) as? SnapshotDeleteCommand)
        #expect(delete.name == "a")
    }
}

extension Array where Element == Assignment? {
    fileprivate var allOrNil: [Assignment]? {
        let all = compactMap(\.self)
        return all.count == count ? all : nil
    }
}

@Suite struct AssignmentTests {
    @Test(arguments: [
        ("a=b", "a", "b"), ("a=", "a", ""), ("a=b=c", "a", "b=c"), ("a/b~1c= x ", "a/b~1c", " x "), ("ä=é", "ä", "é"),
    ]) func splits(_ argument: String, _ path: String, _ text: String) throws {
        let assignment = try #require(Assignment(argument))
        #expect(assignment.path == path)
        #expect(assignment.text == text)
    }

    @Test(arguments: ["", "a", "=", "=b"]) func refuses(_ argument: String) {
        #expect(Assignment(argument) == nil)
    }
}

@Suite struct ArgumentOrderTests {
    @Test(arguments: [
        (["-H", "board", "get", "a"], ["get", "-H", "board", "a"]),
        (["-Hboard", "--output=json", "get", "a"], ["get", "-Hboard", "--output=json", "a"]),
        (["--socket", "/s", "hook", "list"], ["hook", "list", "--socket", "/s"]),
        (["-P", "22", "-H", "b", "hook", "test", "x"], ["hook", "test", "-P", "22", "-H", "b", "x"]),
        (["-P22", "-H", "b", "file", "mkdir", "-p", "x"], ["file", "mkdir", "-P22", "-H", "b", "-p", "x"]),
        (["--output", "json", "list", "--only-set"], ["list", "--output", "json", "--only-set"]),
        (["get", "-H", "board", "a"], ["get", "-H", "board", "a"]), (["--version"], ["--version"]), ([], []),
        (["-H"], ["-H"]), (["-H", "board"], ["-H", "board"]),
        (["-H", "board", "nothing"], ["-H", "board", "nothing"]),
        (["---completion", "get", "--", "a"], ["---completion", "get", "--", "a"]),
        (["--only-set", "list"], ["--only-set", "list"]),
    ]) func movesOptionsBehindTheName(_ arguments: [String], _ hoisted: [String]) {
        #expect(ArgumentOrder.hoisted(arguments, root: CleatCommand.self) == hoisted)
    }
}

@Suite struct ParserTests {
    @Test(arguments: [
        ["get"], ["get", "a", "b"], ["set"], ["nothing"], ["get", "--output", "xml", "a"], ["log", "--limit", "0"],
        ["log", "--limit", "x"], ["events", "--source", "moon"], ["events", "--after", "3"],
        ["events", "--count", "0"], ["watch", "-n", "-1"], ["hook"], ["hook", "test"], ["diff", "a"], ["schema"],
        ["schema", "validate"], ["schema", "validate", "true"],
        ["schema", "validate", "-", "-"], ["schema", "validate", "--stdin-lines", "a"], ["schema", "check"],
        ["schema", "check", "-", "-"], ["describe", "--markdown", "--output", "json"],
        ["diff", "1", "2", "3"], ["completions", "tcsh"], ["unset"], ["--bogus"],
        ["why"], ["why", "a", "b"], ["add", "a"], ["remove", "a"], ["reset", "a", "b"], ["doctor", "a"], ["apply"],
        ["apply", "--replace", "--volatile", "-"], ["export", "--format", "xml"], ["edit", "a", "b"],
        ["set", "--volatile"],
    ]) func refusesWithUsage(_ arguments: [String]) {
        do {
            var command = try CleatCommand.parseAsRoot(ArgumentOrder.hoisted(arguments, root: CleatCommand.self))
            // A group without a sub-command answers with its help.
            try command.run()
            Issue.record("accepted: \(arguments)")
        } catch {
            let isHelp = [["hook"], ["file"], ["schema"]].contains(arguments)
            let status = (error as? CommandError)?.status.rawValue ?? CleatCommand.exitCode(for: error).rawValue
            #expect(status == (isHelp ? 0 : CommandStatus.usage.rawValue))
        }
    }

    @Test func takesEveryOptionOfAWrite() throws {
        let words = ["set", "a=1", "--expect", "s:4", "--id", "x", "-c", "why", "-H", "u@h:22", "--output", "json"]
        let set = try #require(try CleatCommand.parseAsRoot(words) as? SetCommand)
        #expect(set.write.expect == "s:4")
        #expect(set.write.id == "x")
        #expect(set.write.comment == "why")
        #expect(set.options.output == .json)
        #expect(set.options.host == "u@h:22")
    }

    @Test(arguments: [
        (["--output", "json"], OutputForm.json), (["--output=json-lines"], .jsonLines), (["get"], .text),
        (["--output"], .text), (["--output", "xml"], .text),
    ]) func knowsTheFormOfAnError(_ arguments: [String], _ form: OutputForm) {
        #expect(Program.form(of: arguments) == form)
    }

    private static let commands: [any ParsableCommand.Type] =
        [CleatCommand.self] + CleatCommand.configuration.subcommands + HookCommand.configuration.subcommands
        + FileCommand.configuration.subcommands + SchemaCommand.configuration.subcommands
        + SnapshotCommand.configuration.subcommands

    @Test(arguments: commands.indices) func help(_ index: Int) throws {
        let command = Self.commands[index]
        try Golden.expect(
            CleatCommand.helpMessage(for: command, columns: 80) + "\n", matches: "help-\(command).txt")
    }

    /// The completions offer every verb, and every option that its help lists.
    @Test(arguments: [CompletionShell.bash, .zsh, .fish]) func completionsAreComplete(_ shell: CompletionShell) throws {
        let script = CleatCommand.completionScript(for: shell)
        #expect(script.contains("---completion"))
        for (path, command) in Self.tree(CleatCommand.self, ["cleat"]) {
            let offered = Self.words(for: path, in: script, shell)
            for option in Self.options(of: command) {
                let word = shell == .fish ? String(option.dropFirst(2)) : option
                #expect(offered.contains(word), "\(path) \(option)")
            }
            for verb in command.configuration.subcommands.compactMap({ $0.configuration.commandName }) {
                #expect(offered.contains(verb), "\(path) \(verb)")
            }
        }
    }

    @Test func theScriptForBashIsValid() throws {
        let (reading, writing) = try Descriptor.pipe()
        var bash = ConsoleChild.Command(["bash", "-n"])
        bash.streams = (reading.descriptor, .standardOutput, .standardError)
        let child = try ConsoleChild(bash)
        reading.close()
        _ = try writing.descriptor.writeAll(CleatCommand.completionScript(for: .bash).utf8)
        writing.close()
        #expect(try child.end(wait: true) == .exited(0))
    }

    /// Returns a command and all its subcommands, each with its words on the command line.
    private static func tree(
        _ command: any ParsableCommand.Type, _ path: [String]
    ) -> [([String], any ParsableCommand.Type)] {
        [(path, command)]
            + command.configuration.subcommands.flatMap { tree($0, path + [$0.configuration.commandName ?? "?"]) }
    }

    /// Returns the long options that a command's help lists.
    private static func options(of command: any ParsableCommand.Type) -> [String] {
        CleatCommand.helpMessage(for: command, columns: 200).split(separator: "\n").flatMap { line -> [String] in
            guard line.hasPrefix("  -") else { return [] }
            return line.split { " ,/".contains($0) }.prefix { $0.hasPrefix("-") }.filter { $0.hasPrefix("--") }
                .map(String.init)
        }
    }

    /// Returns the words of the part of a script that is about a command.
    private static func words(for path: [String], in script: String, _ shell: CompletionShell) -> Set<String> {
        let lines = script.split(separator: "\n")
        let part: [Substring]
        if shell == .fish {
            let command = "\"\(path.joined(separator: " "))\""
            part = lines.filter { $0.contains(command) }
        } else {
            let head = "_\(path.joined(separator: "_"))() {"
            part = Array(lines.drop { $0 != head }.prefix { $0 != "}" })
        }
        return Set(part.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init) })
    }

    /// Every verb shows how it is used.
    @Test func helpHasExamples() {
        for command in Self.commands {
            #expect(command.configuration.discussion.contains("Examples:\n  cleat "), "\(command)")
        }
    }
}
