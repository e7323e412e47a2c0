import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// Tests of the messages of `cleat` in unusual cases, with the real programs.
@Suite("Messages of the command line, end to end", .serialized)
struct CommandTextTests {
    @Test("If the output cannot be written, the result is reported nevertheless")
    func operations() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            for (words, deed) in [
                (["set", "system/hostname=one"], "the change was made as generation 1 (id "),
                (["set", "system/hostname=one"], nil),
                (["set", "system/hostname=two", "--check"], nil),
                (["set", "agent/log/level=debug", "--volatile"], "the change was made until the next boot (id "),
                (
                    ["set", "system/hostname=two", "--confirm", "5m", "--id", "t"],
                    "the change is on trial as generation 2"
                ),
                (["extend", "6m"], "the time of change t was set"),
                (["abort", "t", "--output", "json"], "change t was reverted by generation"),
                (["snapshot", "create", "s"], "the snapshot “s” was made"),
                (["snapshot", "delete", "s"], "deleted “s”"), (["get", "system/hostname"], nil),
            ] as [([String], String?)] {
                let full = try await board.script(#"exec "$CLEAT" "$@" >/dev/full"#, words)
                #expect(full.status == 1, "\(words) \(full)")
                let text = deed.map { "\($0)" } ?? "the output could not be written"
                #expect(full.errorText.contains(text), "\(words) \(full)")
                #expect(full.errorText.contains(", but the output") == (deed != nil), "\(words) \(full)")
            }
            #expect(try await agent.get("system/hostname") == "one")
        }
    }

    @Test("If the reader of the output is closed, the command continues, and its status reports how it ended")
    func unread() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            let undone = try await board.script(
                #"mkfifo "$D/pipe"; exec 3<>"$D/pipe" 4>"$D/pipe" 3>&-; exec "$CLEAT" "$@" >&4 4>&-"#,
                ["set", "system/hostname=two", "--confirm", "1s", "--wait"])
            #expect(undone.status == 10 && undone.errorText.isEmpty, "\(undone)")
            #expect(try await agent.get("system/hostname") == "before")
        }
    }

    @Test("A value on trial is marked in lists; invalid UTF-8 is refused; the next command is printed")
    func words() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "one"])
            #expect(try await board.cleat("set", "system/hostname=two", "--confirm", "5m", "--id", "t").status == 0)
            let list = try await board.cleat("list", "system")
            #expect(
                list.lines.contains { $0.hasPrefix("system/hostname") && $0.hasSuffix("committed, pending: t") },
                "\(list)")
            #expect(list.lines.count { $0.contains("pending") } == 1, "\(list)")
            #expect(try await board.cleat("get", "system/hostname").output == "two\n")
            #expect(try await board.cleat("confirm").status == 0)

            let raw = try await board.script(
                #"name=$(printf 'n\377'); echo x >"$D/f"; echo '{}' | "$CLEAT" apply - --file "$name=$D/f""#)
            #expect(raw.status == 64 && raw.errorText.contains("argument 4"), "\(raw)")
            let sign = try await board.cleat("set", "system/hostname=\u{fffd}")
            #expect(sign.status == 65, "\(sign)")
            for (words, status, text) in [
                (["confirm"], 75, "see `cleat log`"), (["abort"], 75, "see `cleat log`"),
                (["show", "0"], 65, "the history has no generation 0"), (["set", ""], 64, "write PATH=VALUE"),
                (["set", "=x"], 64, "write PATH=VALUE"), (["set", "x"], 64, "write x=VALUE"),
                (
                    ["set", "kernel/attributes/class/net/eth0/ifalias=x"], 65,
                    "with slashes as ~1: kernel/attributes/class~1net~1eth0~1ifalias"
                ),
                (["get", "network"], 1, "with `cleat describe network`"),
            ] as [([String], Int32, String)] {
                let said = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(said.status == status && said.errorText.contains(text), "\(words) \(said)")
            }
            #expect(try await agent.status().generation == 2)
        }
    }
}
