import ArgumentParser
import CleatAPI
import CleatIO
import CleatViews
import SystemPackage
import Testing

@testable import cleat

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
