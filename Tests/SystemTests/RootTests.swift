import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// `cleat --root DIR`, with a service of the command's own, with the real programs.
@Suite("A system below a directory, configured offline", .serialized)
struct RootTests {
    /// Runs `cleat` on the image, with temporary files in a place of the test's own.
    private static func cleat(_ board: Board, _ arguments: String..., input: String? = nil) async throws
        -> Board.Finished
    {
        try await board.script(#"exec "$CLEAT" --root "$D/img" "$@""#, arguments, environment: own(board), input: input)
    }

    private static func own(_ board: Board) -> [String: String] {
        ["TMPDIR": board.directory.appending("tmp"), "CLEAT_SOCKET": "/nowhere/socket"]
    }

    private static func prepare(_ board: Board) async throws {
        let made = try await board.script(
            #"mkdir -p "$D/tmp" "$D/img/etc" && printf 'factory\n' >"$D/img/etc/hostname""#)
        try #require(made.status == 0, "\(made)")
        try board.makeZones(below: "img")
    }

    @Test("Settings and files are those of the image, no process remains, and no hook of the image runs")
    func offline() async throws {
        try await Board.with { board in
            try await Self.prepare(board)
            let set = try await Self.cleat(board, "set", "system/hostname=pump-7")
            #expect(set.status == 0 && set.output.contains("/etc/hostname"), "\(set)")
            #expect(try await board.script(#"cat "$D/img/etc/hostname""#).output == "pump-7\n")
            let file = try await Self.cleat(board, "apply", "-", input: "{system: {timezone: 'Europe/Berlin'}}")
            #expect(file.status == 0, "\(file)")
            #expect(try await Self.cleat(board, "get", "system/timezone").output == "Europe/Berlin\n")
            let plan = try await Self.cleat(board, "plan", "--reset")
            #expect(plan.status == 0 && plan.output.contains("+factory"), "\(plan)")
            #expect(try await Self.cleat(board, "rollback", "0").status == 0)
            #expect(
                try await board.script(#"cat "$D/img/etc/hostname"; ls "$D/img/etc" "$D/tmp""#).output.hasPrefix(
                    "factory\n"))
            #expect(try await board.script(#"ls -A "$D/tmp"; ls -A "$D/img/run" 2>/dev/null"#).output.isEmpty)
            let append = try await Self.cleat(board, "file", "append", "documents/log", input: "one\n")
            #expect(append.status == 0, "\(append)")
            #expect(try await Self.cleat(board, "file", "chmod", "0604", "documents/log").status == 0)
            let found = try await Self.cleat(board, "file", "stat", "documents/log", "--output", "json")
            let real = try #require(try JSONReader.read(found.output)["real_path"]?.stringValue)
            #expect(real == board.directory.appending("img/var/lib/cleat/files/documents/log"))
            #expect(try await board.script(#"cat "$1"; stat -c %a "$1""#, [real]).output == "one\n604\n")
            for (path, status) in [("documents/log", 0), ("documents/none", 1)] as [(String, Int32)] {
                let exists = try await Self.cleat(board, "file", "exists", "--writable", path)
                #expect(exists.status == status && exists.output.isEmpty && exists.errorText.isEmpty, "\(exists)")
            }
            let hook = try await board.script(
                #"mkdir -p "$D/img/etc/cleat/hooks.d" && echo '{ match: {}, run: ["/bin/true"] }' >"$D/img/etc/cleat/hooks.d/a.json5""#
            )
            #expect(hook.status == 0)
            let hooks = try await Self.cleat(board, "hook", "list", "--output", "json")
            #expect(try JSONReader.read(hooks.output)["hooks"] == [], "\(hooks)")
        }
    }

    @Test("The exit status of the command is returned, and a wrong command line starts nothing")
    func statuses() async throws {
        try await Board.with { board in
            try await Self.prepare(board)
            for (words, status, text) in [
                (["get", "no/such"], 65, "is not a setting"), (["set", "system/hostname=-"], 65, "system/hostname"),
                (["rollback", "7"], 65, "there is no generation"), (["-H", "board", "list"], 64, "--host"),
                (["--socket", "/s", "list"], 64, "--socket"), (["--port", "22", "list"], 64, "--host"),
            ] as [([String], Int32, String)] {
                let ended = try await board.script(
                    #"exec "$CLEAT" --root "$D/img" "$@""#, words, environment: Self.own(board))
                #expect(ended.status == status && ended.output.isEmpty, "\(words) \(ended)")
                #expect(ended.errorText.contains(text), "\(words) \(ended)")
            }
            for (root, text) in [
                ("$D/none", "no such directory"), ("$D/img/etc/hostname", "no such directory"), ("/", "itself"),
            ] {
                let refused = try await board.script(#"exec "$CLEAT" --root "\#(root)" list"#)
                #expect(refused.status == 64 && refused.errorText.contains(text), "\(root) \(refused)")
            }
            #expect(try await board.script(#"ls -A "$D/tmp"; test -e "$D/none" || echo absent"#).output == "absent\n")
        }
    }

    @Test("The reason why no service could be started is reported")
    func failedStart() async throws {
        try await Board.with { board in
            try await Self.prepare(board)
            let alone = try await board.script(
                #"mkdir "$D/bin" && { ln "$CLEAT" "$D/bin/cleat" 2>/dev/null || cp "$CLEAT" "$D/bin/cleat"; } && PATH=/nowhere "$D/bin/cleat" --root "$D/img" list"#,
                environment: Self.own(board))
            #expect(alone.status == 69 && alone.errorText.contains("cleatd"), "\(alone)")
            let path = try await board.script(
                #"PATH="$(dirname "$CLEATD"):$PATH" "$D/bin/cleat" --root "$D/img" set system/hostname=found"#,
                environment: Self.own(board))
            #expect(path.status == 0, "\(path)")
            // The store of another, newer format is unchanged.
            let newer = try await board.script(
                #"rm -r "$D/img/var/lib/cleat" && mkdir "$D/img/var/lib/cleat/" && mkdir "$D/img/var/lib/cleat/settings.db""#
            )
            #expect(newer.status == 0)
            let broken = try await Self.cleat(board, "list")
            #expect(broken.status == 69 && broken.errorText.contains("settings.db"), "\(broken)")
            #expect(try await board.script(#"ls -A "$D/tmp""#).output.isEmpty)
        }
    }

    @Test("Several commands at once are made one after the other")
    func atOnce() async throws {
        try await Board.with { board in
            try await Self.prepare(board)
            // How long the others wait is by the clock, and does not differ on a slow machine.
            if TestMachine.slowness > 1 { return }
            let count = 3
            let set = try await board.script(
                #"""
                for n in $(seq "$1"); do
                    { "$CLEAT" --root "$D/img" set "kernel/sysctl/net.ipv4.conf.e$n.forwarding=1" >"$D/o$n" 2>&1; echo $? >"$D/s$n"; } &
                done
                wait; cat "$D"/s*; cat "$D"/o* >&2
                """#, ["\(count)"], environment: Self.own(board))
            #expect(set.lines == Array(repeating: "0", count: count), "\(set)")
            let list = try await Self.cleat(board, "list", "kernel/sysctl", "--only-set")
            #expect(list.lines.count == count + 1, "\(list)")
        }
    }

    @Test("A message warns that the time of a trial ends only with the next command, which reverts it")
    func trials() async throws {
        try await Board.with { board in
            try await Self.prepare(board)
            let set = try await Self.cleat(board, "set", "system/hostname=tried", "--confirm", "5s", "--id", "t")
            #expect(set.status == 0 && set.errorText.contains("`cleat --root"), "\(set)")
            #expect(try await board.script(#"cat "$D/img/etc/hostname""#).output == "tried\n")
            try await board.eventually("the next command undid it") {
                let next = try await Self.cleat(board, "log")
                #expect(next.status == 0 && next.errorText.isEmpty, "\(next)")
                return try await board.script(#"cat "$D/img/etc/hostname""#).output == "factory\n"
            }
            let waits = try await Self.cleat(board, "set", "system/hostname=x", "--confirm", "1s", "--wait")
            #expect(waits.status == 10 && waits.errorText.isEmpty, "\(waits)")
        }
    }

    @Test(
        "A signal ends the command and its service; meanwhile another command is refused",
        arguments: ["TERM", "HUP", "KILL"])
    func signals(_ signal: String) async throws {
        // It waits by the clock until it gives up, as long on any machine.
        let asksTwice = signal == "TERM" && TestMachine.slowness == 1
        try await Board.with { board in
            try await Self.prepare(board)
            #expect(try await Self.cleat(board, "set", "system/hostname=pump").status == 0)
            let ended = try await board.script(
                #"""
                mkfifo "$D/pipe"
                "$CLEAT" --root "$D/img" watch >"$D/pipe" &
                exec 3<"$D/pipe"
                read line <&3
                if \#(asksTwice); then
                    "$CLEAT" --root "$D/img" list >"$D/second" 2>&1
                    echo "second $?"
                fi
                kill -\#(signal) $!
                wait $!
                echo "ended $?"
                # The end of the pipe: nobody is left who holds it.
                cat <&3 >/dev/null
                """#, environment: Self.own(board))
            let number = ["TERM": 143, "HUP": 129, "KILL": 137][signal] ?? 0
            #expect(ended.lines == (asksTwice ? ["second 75"] : []) + ["ended \(number)"], "\(ended)")
            if asksTwice {
                let second = try contents(of: FilePath(board.directory.appending("second")))
                #expect(second.contains(board.directory.appending("img")), "\(second)")
            }
            try await board.eventually("the service had ended") {
                try await Self.cleat(board, "get", "system/hostname").output == "pump\n"
            }
        }
    }

    @Test("A service that serves the directory already is used; a link of the image leads to no other")
    func served() async throws {
        try await Board.with { board in
            try await Self.prepare(board)
            let image = board.directory.appending("img")
            try SystemCalls.makeDirectory(image + "/run")
            let agent = try await board.start(
                .init(arguments: [
                    "--root", image, "--state", image + "/var/lib/cleat", "--runtime", image + "/run/cleat", "--config",
                    image + "/etc/cleat",
                ]))
            // Where it could not make a directory, it could start no service.
            let set = try await board.script(
                #"TMPDIR=/nowhere exec "$CLEAT" --root "$D/img" set system/hostname=served"#)
            #expect(set.status == 0, "\(set)")
            let read = try await board.script(
                #"CLEAT_SOCKET="$D/img/run/cleat/socket" exec "$CLEAT" get system/hostname"#)
            #expect(read.output == "served\n")
            let linked = try await board.script(
                #"mkdir -p "$D/other/etc" && ln -s "$D/img/run" "$D/other/run" && exec "$CLEAT" --root "$D/other" get system/hostname"#,
                environment: Self.own(board))
            #expect(linked.status == 1 && linked.output.isEmpty, "\(linked)")
            try await agent.stop()
        }
    }

    @Test(
        "Nothing is written or read through a link of the image that leads out of it",
        arguments: [
            "var/lib/cleat/files", "var/lib/cleat/files/documents", "var/lib/cleat/settings.db",
            "etc/cleat/cleatd.json5",
        ])
    func linksOut(_ place: String) async throws {
        try await Board.with { board in
            try await Self.prepare(board)
            let made = try await board.script(
                #"mkdir -p "$D/outside" "$(dirname "$D/img/$1")" && ln -s "$D/outside" "$D/img/$1" && echo hi >"$D/xx""#,
                [place])
            #expect(made.status == 0, "\(made)")
            for (arguments, input) in [
                (["file", "put", board.directory.appending("xx"), "documents/"], nil),
                (["apply", "-", "--file", "certs/xx=\(board.directory.appending("xx"))"], "{}"),
            ] as [([String], String?)] {
                let refused = try await board.script(
                    #"exec "$CLEAT" --root "$D/img" "$@""#, arguments, environment: Self.own(board), input: input)
                #expect(refused.status == 69, "\(refused)")
                #expect(refused.errorText.contains("img/\(place)"), "\(refused)")
            }
            #expect(try await board.script(#"ls -A "$D/outside""#).output.isEmpty)
        }
    }

    @Test(
        "A directory of the vendor or the administrator that is a link out of the image is not read, which is reported")
    func sourcesOutside() async throws {
        try await Board.with { board in
            try await Self.prepare(board)
            let made = try await board.script(
                #"""
                mkdir -p "$D/host" "$D/img/etc/cleat" "$D/img/usr/lib/cleat" "$D/img/usr/share/values"
                echo '{"system":{"hostname":"from-the-host"}}' >"$D/host/a.json5"
                ln -s "$D/host" "$D/img/etc/cleat/defaults.d"
                ln -s ../../../../host "$D/img/usr/lib/cleat/schema.d"
                ln -s /etc "$D/img/usr/lib/cleat/probes.d"
                # This one stays inside.
                echo '{"system":{"timezone":"Europe/Berlin"}}' >"$D/img/usr/share/values/b.json5"
                ln -s ../../share/values "$D/img/usr/lib/cleat/defaults.d"
                """#)
            #expect(made.status == 0, "\(made)")
            #expect(try await Self.cleat(board, "get", "system/hostname").status == 1)
            let told = try await Self.cleat(board, "doctor")
            for place in ["etc/cleat/defaults.d", "usr/lib/cleat/schema.d", "usr/lib/cleat/probes.d"] {
                #expect(told.output.contains("img/\(place)"), "\(place): \(told)")
            }
            #expect(!told.output.contains("usr/lib/cleat/defaults.d"), "\(told)")
            #expect(try await Self.cleat(board, "get", "system/timezone").output == "Europe/Berlin\n")
        }
    }
}
