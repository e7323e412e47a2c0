import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Files that arrive in the inbox", .tags(.board), .serialized)
struct InboxTests {
    @Test("A hook takes each file when it is complete; status reports how the inbox is followed")
    func taken() async throws {
        try await Board.with { board in
            let program = try board.write(
                program: "take",
                """
                test "$CLEAT_SOURCE $CLEAT_ACTION $AREA" = "file arrived inbox"
                test "$CLEAT_FILE" = "\(board.state)/files/inbox/$CLEAT_SUBJECT"
                test "$(wc -c <"$CLEAT_FILE")" = "$SIZE"
                mkdir -p \(board.directory.text)/taken
                mv "$CLEAT_FILE" \(board.directory.text)/taken/
                """.replacingLines(by: " &&\n"))
            try board.write(
                hook: "take", #"{ match: { source: "file", subject: "*.bin" }, run: ["\#(program)"], concurrency: 2 }"#)
            let agent = try await board.start()
            try await board.eventually("it is followed") {
                try await agent.status().observer("inbox")?.summary == "inotify, 1 directory"
            }
            #expect(try await agent.status().observer("inbox")?.problem == nil)
            let collector = try await EventCollector(agent, .init(sources: ["file"]))
            _ = try await board.script(
                """
                cd "$D/state/files/inbox"
                mkdir -p new; i=0
                while [ $i -lt 100 ]; do head -c $((i * 700)) /dev/zero >new/$i.bin; i=$((i + 1)); done
                echo left >left.txt
                """)
            try await board.eventually("the hook has taken them") {
                (try? names(in: board.directory.appending("taken")).count) == 100
            }
            try await board.eventually("all were told") { collector.events.count == 101 }
            let subjects = collector.events.map(\.subject)
            #expect(Set(subjects) == Set((0..<100).map { "new/\($0).bin" } + ["left.txt"]))
            #expect(collector.events.allSatisfy { !$0.restored } && collector.lost == 0)
            try await board.eventually("the last run was counted") { try await agent.hook("take").runs == 100 }
            #expect(try await agent.hook("take").failures == 0)
            #expect(try await agent.counter("inbox.arrived") == 101)
            collector.close()
        }
    }

    @Test(
        "Existing files are reported once at each startup, also after a kill; an incomplete upload never"
    )
    func restart() async throws {
        try await Board.with { board in
            let log = board.directory.appending("log")
            let program = try board.write(program: "noter", "echo \"$CLEAT_SUBJECT $SIZE\" >>\(log)")
            try board.write(hook: "log", #"{ match: { source: "file" }, run: ["\#(program)"], concurrency: 1 }"#)
            _ = try await board.script("umask 022; mkdir -p \"$D/state/files/inbox/deep\"; chmod 700 \"$D/state\"")
            _ = try await board.script(
                "cd \"$D/state/files/inbox\"; echo 1 >deep/one; echo 12 >two; echo 1 >.cleat-upload-aa; mkfifo fifo; ln -s two link"
            )
            for (number, signal) in [Signal.kill, .terminate, .terminate].enumerated() {
                let agent = try await board.start()
                try await board.eventually("the hook ran for both") {
                    try await agent.hook("log").runs == 2
                }
                #expect(try await agent.counter("inbox.arrived") == 2)
                let wanted = (0...number).flatMap { _ in ["deep/one 2", "two 3"] }.sorted()
                #expect(try board.directory.read("log").split(separator: "\n").map(String.init).sorted() == wanted)
                let instance = try await agent.status().instance
                let collector = try await EventCollector(
                    agent, .init(sources: ["file"], instance: instance, after: 0))
                try await board.eventually("both are replayed") { collector.events.count == 2 }
                let isMarked = collector.events.allSatisfy(\.restored)
                #expect(isMarked)
                collector.close()
                try await agent.stop(signal)
            }
        }
    }

    /// A user namespace has a limit of its own for event queues: user_namespaces(7), `/proc/sys/user`.
    @Test(
        "Without an event queue the service works; when there is one, files that waited are taken",
        .enabled(
            if: Machine.can(
                "unshare --user --map-root-user test -w /proc/sys/user/max_inotify_instances",
                "needs user namespaces with limits of their own")))
    func shortage() async throws {
        try await Board.with { board in
            try board.directory.write(#"{ imports: [{ match: "*.json5" }] }"#, to: "etc/cleatd.json5")
            let agent = try await board.start(
                .init(
                    launcher: ["unshare", "--user", "--map-root-user"],
                    preparation: "echo 0 >/proc/sys/user/max_inotify_instances"))
            try await board.eventually("the shortage is reported") {
                guard let summary = try await agent.status().observer("inbox")?.summary else { return false }
                return summary.hasPrefix("off: ") && summary.contains("raise fs.inotify.max_user_instances")
            }
            // Other changes are made meanwhile.
            try await agent.set(["system/timezone": "Europe/Berlin"])
            _ = try await board.script(
                """
                mkdir -p "$D/state/files/inbox"
                echo '{ system: { hostname: "from-inbox" } }' >"$D/state/files/inbox/a.json5"
                """)
            #expect(try await agent.get("system/hostname") == nil)
            let raised = try await board.script(
                "nsenter --target \(try agent.pid) --user sh -c 'echo 100 >/proc/sys/user/max_inotify_instances'")
            #expect(raised.status == 0, "\(raised)")
            try await board.eventually("it was imported") { try await agent.get("system/hostname") == "from-inbox" }
            #expect(try await agent.status().observer("inbox")?.summary == "inotify, 1 directory")
            #expect(try await agent.counter("inbox.arrived") == 1)
            let log = try await agent.stop().outputText
            #expect(log.split(separator: "\n").count { $0.contains("it is tried again") } == 1, "\(log)")
        }
    }

    @Test("An inbox that cannot be followed is reported in the status, and the service continues")
    func refused() async throws {
        try await Board.with { board in
            _ = try await board.script(
                "mkdir -p \"$D/state/files\" \"$D/other\"; chmod 700 \"$D/state\"; ln -s ../../other \"$D/state/files/inbox\""
            )
            let agent = try await board.start()
            try await board.eventually("it is said") {
                try await agent.status().observer("inbox")?.summary?.hasPrefix("waiting for ") == true
            }
            _ = try await board.script(
                "echo 1 >\"$D/other/file\"; rm \"$D/state/files/inbox\"; mkdir \"$D/state/files/inbox\"")
            try await board.eventually("it is followed") {
                try await agent.status().observer("inbox")?.summary == "inotify, 1 directory"
            }
            #expect(try await agent.counter("inbox.arrived") == 0)
            let finished = try await board.cleat("status")
            #expect(finished.lines.contains { $0.hasPrefix("inbox ") && $0.hasSuffix("inotify, 1 directory") })
            let log = try await agent.stop().outputText
            #expect(
                log.split(separator: "\n").contains {
                    $0.hasPrefix("ERROR") && $0.contains("\(board.state)/files/inbox")
                }, "\(log)")
        }
    }
}

extension String {
    /// The text with something else between its lines.
    fileprivate func replacingLines(by separator: String) -> String {
        split(separator: "\n").joined(separator: separator)
    }
}
