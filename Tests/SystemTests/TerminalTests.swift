import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of the prompts on a terminal, and of the terminal and the text after a signal.
@Suite("At a terminal", .enabled(if: Machine.hasPython, Machine.pythonReason))
struct TerminalTests {
    private static let conflict = "quit? [e/m/q] "

    /// An editor that changes the MTU while another client changes the name.
    ///
    /// In the second round it expects the message about that, and changes the MTU again.
    private static func editor(_ board: Board) throws -> String {
        try board.write(
            program: "editor",
            #"""
            if test -e "$D/second"; then
                grep -q '//! changed by another user: system/hostname: first -> theirs' "$1" || exit 3
                exec sed -i 's/1500/1501/' "$1"
            fi
            : >"$D/second"
            "$CLEAT" set system/hostname=theirs >/dev/null && exec sed -i 's/1400/1500/' "$1"
            """#)
    }

    private static func edit(_ board: Board, _ editor: String, _ steps: [String]) async throws -> Board.Finished {
        try await board.terminal(
            ["edit"], steps, environment: ["EDITOR": editor, "TMPDIR": board.directory.text])
    }

    /// Returns the texts that were kept.
    private static func left(_ board: Board) async throws -> String {
        try await board.script(#"cd "$D" && ls -d cleat-edit-* 2>/dev/null && cat cleat-edit-*/*"#).output
    }

    @Test(
        "After a conflict the user edits again, merges or quits",
        arguments: [("e", 1_501, "exit 0"), ("m", 1_500, "exit 0"), ("q", 1_400, "exit 75"), ("x", 1_400, "exit 75")])
    func conflict(_ answer: String, _ mtu: Int64, _ end: String) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "first", "network/interfaces/eth0/mtu": 1_400])
            let told = try await Self.edit(
                board, try Self.editor(board),
                ["see:system/hostname: first -> theirs", "see:" + Self.conflict, "type:\(answer)\n"])
            #expect(told.output.hasSuffix("\n\(end)\necho on\n"), "\(told)")
            #expect(try await agent.get("system/hostname") == "theirs")
            #expect(try await agent.get("network/interfaces/eth0/mtu") == .integer(mtu), "\(told)")
            let left = try await Self.left(board)
            #expect(left.contains("mtu: 1500") == (end == "exit 75"), "\(left)")
            #expect(left.isEmpty == (end == "exit 0"), "\(left)")
        }
    }

    @Test("A signal at the prompt keeps the text and prints its path", arguments: ["type:\u{3}", "kill:15", "kill:1"])
    func signalAtTheQuestion(_ step: String) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "first", "network/interfaces/eth0/mtu": 1_400])
            let told = try await Self.edit(board, try Self.editor(board), ["see:" + Self.conflict, step])
            let number = step.hasPrefix("kill:") ? String(step.dropFirst(5)) : "2"
            #expect(told.output.hasSuffix("\nsignal \(number)\necho on\n"), "\(told)")
            #expect(told.output.contains("your text is kept in \(board.directory.text)/cleat-edit-"), "\(told)")
            #expect(try await Self.left(board).contains("mtu: 1500"))
            #expect(try await agent.get("network/interfaces/eth0/mtu") == 1_400)
        }
    }

    @Test("A signal while the editor runs keeps only a text that was changed", arguments: ["1500", "1400"])
    func signalDuringTheEditor(_ mtu: String) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["network/interfaces/eth0/mtu": 1_400])
            let change = mtu == "1400" ? "" : #"sed -i 's/1400/1500/' "$1"; "#
            let editor = try board.write(program: "editor", change + "echo waits; read line")
            let told = try await Self.edit(board, editor, ["see:waits", "kill:15"])
            #expect(told.output.hasSuffix("\nsignal 15\necho on\n"), "\(told)")
            let left = try await Self.left(board)
            #expect(left.isEmpty == (mtu == "1400"), "\(left)")
            #expect(left.contains("mtu: 1500") == (mtu == "1500"), "\(left)")
            #expect(told.output.contains("your text is kept in") == (mtu == "1500"), "\(told)")
        }
    }

    @Test(
        "Input while the editor runs goes to the editor",
        arguments: [("\u{3}", "INT"), ("\u{1c}", "QUIT")], [true, false])
    func typedAtTheEditor(_ key: (text: String, signal: String), _ isCaught: Bool) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["network/interfaces/eth0/mtu": 1_400])
            // One that catches the signal goes on, and one that does not is ended by it: neither may find it ignored.
            let editor = try board.write(
                program: "editor",
                """
                ulimit -c 0
                \(isCaught ? "trap 'echo caught' \(key.signal)" : "")
                echo waits; while read -r line && test "$line" != go; do :; done
                echo goes on; exec sed -i 's/1400/1500/' "$1"
                """)
            let told = try await Self.edit(
                board, editor,
                ["see:waits", "type:\(key.text)"] + (isCaught ? ["see:caught", "type:go\n", "see:goes on"] : []))
            #expect(told.output.hasSuffix("\nexit \(isCaught ? 0 : 1)\necho on\n"), "\(told)")
            #expect(told.output.contains("nothing was changed") != isCaught, "\(told)")
            #expect(try await agent.get("network/interfaces/eth0/mtu") == (isCaught ? 1_500 : 1_400), "\(told)")
            #expect(try await Self.left(board).isEmpty)
        }
    }

    @Test(
        "A reset of everything prompts first",
        arguments: [("n", true), ("", true), ("nonsense", true), ("y", false), ("YES", false)])
    func reset(_ answer: String, _ stays: Bool) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["network/interfaces/eth0/mtu": 1_400])
            let told = try await board.terminal(
                ["reset"], ["see:Reset all settings to factory data and defaults? [y/N] ", "type:\(answer)\n"])
            #expect(told.output.hasSuffix("\nexit 0\necho on\n"), "\(told)")
            #expect(told.output.contains("nothing was changed") == stays, "\(told)")
            let rows = try await board.cleat("export", "--format", "json")
            #expect(rows.output.contains("1400") == stays, "\(rows)")
        }
    }

    @Test("A prompted value is not shown")
    func secret() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            // The answer is written as soon as the prompt is printed: the echo is off by then.
            let told = try await board.terminal(
                ["set", "--stdin", "system/hostname", "--output", "json"],
                ["echo:on", "see:system/hostname: ", "echo:off", "type:hunter-2\n"])
            #expect(told.output.hasSuffix("\nexit 0\necho on\n"), "\(told)")
            #expect(try await agent.get("system/hostname") == "hunter-2", "\(told)")
            // The only one is the program's own answer.
            #expect(told.output.split(separator: "hunter-2", omittingEmptySubsequences: false).count == 2, "\(told)")
        }
    }

    @Test("A signal at a secret's prompt restores the echo", arguments: ["type:\u{3}", "kill:15", "kill:1"])
    func signalAtASecret(_ step: String) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let told = try await board.terminal(
                ["set", "--stdin", "system/hostname"],
                ["see:system/hostname: ", "echo:off", "type:half", step])
            let number = step.hasPrefix("kill:") ? String(step.dropFirst(5)) : "2"
            #expect(told.output.hasSuffix("\nsignal \(number)\necho on\n"), "\(told)")
            #expect(!told.output.contains("half"), "\(told)")
            #expect(try await agent.get("system/hostname") != "half")
        }
    }

    @Test("An entry is emptied and stays")
    func emptyEntry() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["network/interfaces/eth0/mtu": 1_400, "network/interfaces/eth1/mtu": 1_500])
            let edited = try await board.cleat(
                "edit", environment: ["EDITOR": "sed -i '/mtu: 1500/d'", "TMPDIR": board.directory.text])
            #expect(edited.status == 0 && edited.output.contains("network/interfaces/eth1: unset -> {}"), "\(edited)")
            let export = try await board.script(#""$CLEAT" export --format json"#)
            let interfaces = try JSONReader.read(export.output)["network"]?["interfaces"]
            #expect(interfaces == ["eth0": ["mtu": 1_400], "eth1": [:]], "\(export)")
            let replaced = try await board.script(
                """
                echo '{ network: { interfaces: { eth0: {}, eth1: {} } } }' >$D/f && "$CLEAT" apply --replace $D/f \
                && "$CLEAT" apply --replace $D/f
                """)
            #expect(replaced.status == 0 && replaced.output.hasSuffix("\nnothing changed\n"), "\(replaced)")
        }
    }
}

extension Machine {
    static let pythonReason: Comment = "needs python3 (3.9 or later), to make a terminal"
    static let hasPython = can("python3 -c 'import os; os.pidfd_open'", pythonReason)
}

extension Board {
    /// Runs `cleat` on a terminal of its own and types as a person would; `terminal.py` prints the steps and the
    /// output.
    func terminal(
        _ arguments: [String], _ steps: [String], environment: [String: String] = [:]
    ) async throws -> Finished {
        let driver = TestPlaces.package.appending("Tests/SystemTests/terminal.py").string
        let result = try await script(
            #"driver=$1; shift; exec python3 "$driver" "$CLEAT" "$@""#, [driver] + arguments + ["--"] + steps,
            environment: environment)
        guard result.status == 0 else { throw Failure("\(arguments) \(steps): \(result)") }
        return result
    }
}
