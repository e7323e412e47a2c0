import CleatAPI
import CleatHooks
import CleatIO
import CleatObservers
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

/// Collects the notices of a runner.
final class Notices: Sendable {
    private let list = Mutex<[HookNotice]>([])
    var all: [HookNotice] { list.withLock { $0 } }
    var runs: [HookRun] {
        all.compactMap { notice in
            if case .ended(_, let run, _) = notice { run } else { nil }
        }
    }
    func add(_ notice: HookNotice) { list.withLock { $0.append(notice) } }
}

/// Makes runners for tests.
struct Bench: Sendable {
    let loop: EventLoop
    let notices = Notices()

    func runner(_ hooks: [Hook], _ change: (inout HookQueue.Limits) -> Void = { _ in }) -> HookRunner {
        var limits = HookQueue.Limits()
        change(&limits)
        return HookRunner(
            loop: loop, hooks: HookSet(hooks: hooks),
            context: HookContext(instance: "i-1", bootID: "5e3c0ffe", socket: "/run/cleat/socket"),
            policy: TrustPolicy(user: Files.user), limits: limits, notify: { [notices] in notices.add($0) })
    }

    /// Runs one hook on one event, and returns how it went.
    func run(_ hook: Hook, on event: EventRecord = .make()) async throws -> HookRun {
        let runner = runner([hook])
        await runner.handle(event)
        try await expectRuns(1)
        await runner.shutdown()
        return try #require(notices.runs.first)
    }

    func expectRuns(_ count: Int, _ place: SourceLocation = #_sourceLocation) async throws {
        let notices = notices
        try #require(try await loop.eventually { notices.runs.count >= count }, sourceLocation: place)
    }
}

private func shell(_ script: String, _ arguments: String...) -> [String] {
    ["/bin/sh", "-c", script, "sh"] + arguments
}

/// Waits for a file that a hook writes, and returns the numbers in it.
private func numbers(_ name: String, in directory: TemporaryDirectory, on loop: EventLoop) async throws -> [Int32] {
    try #require(try await loop.eventually { (try? directory.read(name))?.hasSuffix("\n") == true })
    return try directory.read(name).split { $0 == "\n" || $0 == " " }.compactMap { Int32($0) }
}

@Suite("Running hooks", .tags(.board), .timeLimit(.minutes(2 * TestMachine.slowness)))
struct HookRunnerTests {
    @Test("gives a clean environment with the event and its harmless properties")
    func environment() async throws {
        let run = try await withLoop { loop in
            try await Bench(loop: loop).run(
                .make("10-env", run: ["/usr/bin/env"]),
                on: .make(properties: [
                    "DEVNAME": "/dev/sda", "LD_PRELOAD": "/tmp/evil.so", "PATH": "/tmp", "IFS": "x",
                    "BASH_ENV": "/tmp/x",
                ]))
        }
        #expect(run.status == .exited && run.code == 0)
        #expect(
            run.output.split(separator: "\n").filter { !$0.hasPrefix("CLEAT_RUN=") }.sorted() == [
                "CLEAT_ACTION=change", "CLEAT_CAUSE=hook:10-env", "CLEAT_HOOK=10-env", "CLEAT_INSTANCE=i-1",
                "CLEAT_SEQUENCE=1", "CLEAT_SOCKET=/run/cleat/socket", "CLEAT_SOURCE=link", "CLEAT_SUBJECT=eth0",
                "CLEAT_TIME=2024-05-06T07:08:09.123Z", "DEVNAME=/dev/sda", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            ])
        #expect(run.event == "link change eth0")
    }

    @Test("gives the event on standard input")
    func input() async throws {
        let event = EventRecord.make(properties: ["BIG": String(repeating: "x", count: 50_000), "LD_PRELOAD": "evil"])
        let run = try await withLoop { loop in
            try await Bench(loop: loop).run(.make(run: ["/bin/cat"]), on: event)
        }
        #expect(
            run.output == String(decoding: HookEnvironment.input(for: event.event(bootID: "5e3c0ffe")), as: UTF8.self))
    }

    @Test("passes arguments unchanged, and starts in the root directory")
    func arguments() async throws {
        let run = try await withLoop { loop in
            try await Bench(loop: loop).run(
                .make(run: shell("printf '%s|' \"$0\" \"$@\"; pwd", "a b", "", "$HOME *", "ü")))
        }
        #expect(run.output == "sh|a b||$HOME *|ü|/\n")
    }

    @Test("runs it as its user, with its limits, in its directory, with the properties of its list")
    func process() async throws {
        var hook = Hook.make(run: shell("pwd; ulimit -n; echo $CLEAT_ACTION $ID_A $OTHER"))
        hook.process = HookProcess(
            limits: [ResourceLimit(.openFiles, 17)], directory: "/usr", properties: [try HookPattern("ID_*")])
        let event = EventRecord.make(properties: ["ID_A": "a", "OTHER": "o"])
        let run = try await withLoop { [hook] loop in try await Bench(loop: loop).run(hook, on: event) }
        #expect(run.output == "/usr\n17\nchange a\n", "\(run)")
    }

    @Test("switches to the user with its groups, and refuses it without the right to")
    func user() async throws {
        let nobody = try #require(UserDatabase.user(named: "nobody"))
        var hook = Hook.make(run: shell("id -u; id -G; echo $USER $LOGNAME; kill -0 1 || echo not root"))
        hook.process = HookProcess(user: "nobody")
        let run = try await withLoop { [hook] loop in try await Bench(loop: loop).run(hook) }
        guard ProcessSelf.uid == 0 else {
            #expect(run.status == .refused && run.code == 1 && run.output.contains("does not run as root"), "\(run)")
            return
        }
        #expect(run.output.hasPrefix("\(nobody.uid)\n\(nobody.gid)\nnobody nobody\n"), "\(run)")
        #expect(run.output.hasSuffix("not root\n"), "\(run)")
        hook.process = HookProcess(user: "gone")
        let refused = try await withLoop { [hook] loop in try await Bench(loop: loop).run(hook) }
        #expect(refused.status == .refused && refused.output.contains("has no user gone"), "\(refused)")
    }

    @Test("ends a run that exceeds a limit")
    func limit() async throws {
        let directory = try TemporaryDirectory()
        var hook = Hook.make(run: ["/bin/dd", "if=/dev/zero", "of=\(directory.appending("big"))", "bs=4096", "count=4"])
        hook.process = HookProcess(limits: [ResourceLimit(.fileSize, 8192)])
        let run = try await withLoop { [hook] loop in try await Bench(loop: loop).run(hook) }
        #expect(run.status != .exited || run.code != 0, "\(run)")
        #expect(try bytes(of: directory.path.appending("big")).count == 8192)
    }

    @Test("runs a script by its path")
    func script() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("#!/bin/sh\necho \"$0 $1\"\n", to: "script", mode: 0o755)
        try Files.makeLink(directory.appending("link"), to: "script")
        let link = directory.appending("link")
        let run = try await withLoop { loop in try await Bench(loop: loop).run(.make(run: [link, "x"])) }
        #expect(run.output == "\(Files.resolve(path) ?? "") x\n")
    }

    @Test(
        "reports how a run ended",
        arguments: [
            ("exit 0", .exited, 0), ("exit 3", .exited, 3), ("kill -KILL $$", .signalled, 9),
            ("kill -TERM $$", .signalled, 15),
            ("nonsense-command", .exited, 127),
        ] as [(String, HookRun.Status, Int)])
    func endings(script: String, status: HookRun.Status, code: Int) async throws {
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let runner = bench.runner([.make(run: shell(script))])
            await runner.handle(.make())
            try await bench.expectRuns(1)
            let run = try #require(bench.notices.runs.first)
            #expect(run.status == status && run.code == code, "\(run)")
            let info = try #require(await runner.hooks.first)
            #expect(info.runs == 1 && info.failures == (code == 0 ? 0 : 1) && info.last == run)
        }
    }

    @Test("kills a hook that hangs, with all its children")
    func hangs() async throws {
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let script =
                "sleep 1000 & first=$!; (sleep 1000; true) & echo $$ $first $!; trap '' TERM; while :; do sleep 1000; done"
            let runner = bench.runner([.make(run: shell(script), timeout: 300)])
            await runner.handle(.make())
            try await bench.expectRuns(1)
            let run = try #require(bench.notices.runs.first)
            #expect(run.status == .timedOut, "\(run)")
            let pids = run.output.split { $0 == " " || $0 == "\n" }.compactMap { Int32($0) }
            #expect(pids.count == 3)
            #expect(try await loop.eventually { !pids.contains(where: Files.isAlive) })
            #expect(await runner.counters(of: "hook").timeouts == 1)
            #expect(bench.notices.all.first?.description.contains("timeout") == true)
        }
    }

    @Test("does not wait for children that a finished hook has left, and kills them")
    func leavesChildren() async throws {
        try await withLoop { loop in
            let run = try await Bench(loop: loop).run(.make(run: shell("sleep 1000 & echo $!")))
            #expect(run.status == .exited && run.code == 0)
            let pid = try #require(Int32(run.output.dropLast()))
            #expect(try await loop.eventually { !Files.isAlive(pid) })
        }
    }

    @Test("keeps the start of a hundred megabytes and counts all of it, in bounded memory")
    func printsMuch() async throws {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                // More than memory may grow by, in any case.
                let size: Int64 = TestMachine.slowness > 1 ? 20_000_000 : 100_000_000
                let run = try await withLoop { loop in
                    // The first run brings in what every run needs.
                    _ = try await Bench(loop: loop).run(.make(run: ["/bin/true"]))
                    let before = try #require(Files.peakMemory)
                    let run = try await Bench(loop: loop).run(
                        .make(run: ["/usr/bin/head", "-c", "\(size)", "/dev/zero"]))
                    let after = try #require(Files.peakMemory)
                    try #require(after - before < 8 * 1024, "grew by \(after - before) KiB")
                    return run
                }
                try #require(run.status == .exited && run.code == 0)
                try #require(run.outputBytes == size)
                try #require(run.output.utf8.count == HookLimits.outputBytes)
            }
        }
    }

    @Test("checks the program before each run")
    func checksAgain() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("#!/bin/sh\n", to: "script", mode: 0o755)
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let runner = bench.runner([.make(run: [path])])
            await runner.handle(.make())
            try await bench.expectRuns(1)
            try Files.setMode(path, 0o777)
            await runner.handle(.make())
            try await bench.expectRuns(2)
            try Files.remove(path)
            await runner.handle(.make())
            try await bench.expectRuns(3)
            try directory.write("\u{7f}ELF, but not really", to: "script", mode: 0o755)
            await runner.handle(.make())
            try await bench.expectRuns(4)
            let runs = bench.notices.runs
            #expect(runs.map(\.status) == [.exited, .refused, .refused, .refused])
            #expect(runs.map(\.code) == [0, 1, 2, 8])
            let counts = await runner.counters(of: "hook")
            #expect(counts.runs == 4 && counts.failures == 3 && counts.refused == 3)
        }
    }

    @Test("merges what comes during a run into one more run, with the newest event")
    func coalesces() async throws {
        let directory = try TemporaryDirectory()
        try Files.makePipe(directory.appending("gate"))
        let gate = directory.appending("gate")
        let started = directory.appending("started")
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let hook = Hook.make(run: shell("echo 1 >> \"$2\"; read x < \"$1\"; echo $CLEAT_SEQUENCE", gate, started))
            let runner = bench.runner([hook])
            await runner.handle(.make(sequence: 1))
            _ = try await numbers("started", in: directory, on: loop)
            for sequence in 2...6 { await runner.handle(.make(sequence: Int64(sequence))) }
            #expect(await runner.running == 1)
            for _ in 0..<2 {
                // Opening for both does not block.
                let writer = try FileDescriptor.open(FilePath(gate), .readWrite, options: .closeOnExec)
                try writer.writeAll("\n".utf8)
                let expected = bench.notices.runs.count + 1
                try await bench.expectRuns(expected)
                try writer.close()
            }
            #expect(bench.notices.runs.map(\.output) == ["1\n", "6\n"])
            let counts = await runner.counters(of: "hook")
            #expect(counts.matched == 6 && counts.runs == 2 && counts.merged == 4)
            #expect(await runner.hooks.first?.suppressed == 4)
            await runner.shutdown()
        }
    }

    @Test("waits for a subject to be quiet if the hook has a debounce")
    func debounces() async throws {
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let runner = bench.runner([
                .make(run: shell("echo $CLEAT_SEQUENCE"), pace: HookPace(debounce: 100))
            ])
            for sequence in 1...5 { await runner.handle(.make(sequence: Int64(sequence))) }
            #expect(await runner.running == 0)
            try await bench.expectRuns(1)
            #expect(bench.notices.runs.map(\.output) == ["5\n"])
            #expect(await runner.counters(of: "hook").merged == 4)
        }
    }

    @Test("keeps to the rate of a subject, and reports so")
    func meters() async throws {
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let runner = bench.runner([
                .make(run: shell("echo $CLEAT_SUBJECT $CLEAT_SEQUENCE"), pace: HookPace(burst: 1, perSecond: 10))
            ])
            // On a busy machine a run may take so long that the subject's next allowance has come; then another subject is
            // tried.
            for attempt in 0..<50 {
                let subject = "eth\(attempt)"
                // A hook of an earlier subject may still run, and is counted.
                let outputs = { @Sendable in
                    bench.notices.runs.map(\.output).filter { $0.hasPrefix("\(subject) ") }
                }
                await runner.handle(.make(subject, sequence: 1))
                try #require(try await loop.eventually { outputs().count == 1 })
                let before = await runner.counters(of: "hook")
                for sequence in 2...9 { await runner.handle(.make(subject, sequence: Int64(sequence))) }
                try #require(try await loop.eventually { outputs().last == "\(subject) 9\n" })
                guard outputs().count == 2 else { continue }
                let counts = await runner.counters(of: "hook")
                #expect(outputs() == ["\(subject) 1\n", "\(subject) 9\n"])
                #expect(counts.delayed == before.delayed + 1 && counts.suppressed == before.suppressed + 7)
                // It is reported at the first time, the second, the fourth and so on.
                let notice = HookNotice.delayed(hook: "hook", event: "link change \(subject)", count: counts.delayed)
                #expect(bench.notices.all.contains(notice) || counts.delayed > 2)
                return
            }
            Issue.record("the rate of a subject was never kept to")
        }
    }

    @Test("interrupts a loop, and explains it")
    func loops() async throws {
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let runner = bench.runner([.make("a", run: ["/bin/true"]), .make("b", run: shell("echo $CLEAT_CAUSE"))])
            await runner.handle(.make("system/hostname", source: .setting, cause: "hook:a"))
            try await bench.expectRuns(1)
            #expect(bench.notices.runs.map(\.output) == ["hook:a hook:b\n"])
            let counts = await runner.counters(of: "a")
            #expect(counts.cut == 1 && counts.runs == 0)
            let notice = bench.notices.all.first { if case .cut = $0 { true } else { false } }
            #expect(
                notice?.description
                    == "hook a does not run on setting change system/hostname, which it caused itself (hook:a); 1 so far"
            )
            #expect(await runner.totals.first { $0.name == "hooks.cut" }?.value == 1)
        }
    }

    @Test("knows the cause of changes by the processes of a run, and of no others")
    func causes() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.appending("pids")
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let script = "env -i /bin/sh -c 'echo $$ $PPID > \"$1\"; sleep 1000' sh \"$1\" & wait"
            let runner = bench.runner([.make("a", run: shell(script, file))])
            await runner.handle(.make(cause: "hook:x"))
            let pids = try await numbers("pids", in: directory, on: loop)
            #expect(pids.count == 2)
            for pid in pids { #expect(await runner.cause(ofProcess: pid) == "hook:x hook:a") }
            for pid in [Files.process, 1, 0, -1, Int32.max] { #expect(await runner.cause(ofProcess: pid) == nil) }
            await runner.shutdown()
        }
    }

    @Test("kills running hooks when it is shut down, and accepts no more")
    func shutdown() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.appending("pids")
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let runner = bench.runner([
                .make(run: shell("trap '' TERM; sleep 1000 & echo $$ $! > \"$1\"; while :; do sleep 1000; done", file))
            ])
            await runner.handle(.make())
            await runner.handle(.make())
            let pids = try await numbers("pids", in: directory, on: loop)
            await runner.shutdown()
            #expect(await runner.running == 0)
            #expect(try await loop.eventually { !pids.contains(where: Files.isAlive) })
            await runner.handle(.make())
            #expect(await runner.running == 0)
            #expect(bench.notices.runs.map(\.status) == [.signalled])
            await #expect(throws: HookTestError.self) {
                _ = try await runner.run("hook", event: .make(), isForced: false)
            }
        }
    }

    @Test("loads other hooks, keeps counters by name, and does not interrupt runs")
    func reload() async throws {
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let runner = bench.runner([.make("a"), .make("b")])
            await runner.handle(.make())
            try await bench.expectRuns(2)
            await runner.reload(HookSet(hooks: [.make("a", run: ["/bin/false"]), .make("c")]))
            await runner.handle(.make())
            try await bench.expectRuns(4)
            let infos = await runner.hooks
            #expect(infos.map(\.name) == ["a", "c"])
            #expect(infos.map(\.runs) == [2, 1])
            #expect(infos.map(\.failures) == [1, 0])
            await runner.handle(.make())
            await runner.reload(HookSet(problems: [HookProblem(file: "x", message: "y")]))
            try await bench.expectRuns(6)
            #expect(await runner.count == 0)
            #expect(await runner.problems.count == 1)
            #expect(await runner.running == 0)
        }
    }

    /// Seen before: a child that has called setsid outlives the run that was "killed with all its processes".
    @Test("kills processes that have left the process group, and reports it", .tags(.fault))
    func strays() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.appending("pids")
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let script = """
                setsid sh -c 'sleep 1000 & echo $$ $! > "$1.new"; mv "$1.new" "$1"; wait' sh "$1" &
                while test ! -e "$1"; do sleep 0.01; done; wait
                """
            let runner = bench.runner([.make(run: shell(script, file), timeout: 2000)])
            await runner.handle(.make())
            let pids = try await numbers("pids", in: directory, on: loop)
            #expect(pids.count == 2 && pids.allSatisfy(Files.isAlive))
            try await bench.expectRuns(1)
            #expect(bench.notices.runs.map(\.status) == [.timedOut])
            #expect(try await loop.eventually { !pids.contains(where: Files.isAlive) })
            let told = bench.notices.all.map(\.description).joined()
            #expect(told.contains("its process group and 2 processes outside the process group"), "\(told)")
        }
    }

    @Test("reports the effect of a hook, and runs it at once if it matches or is forced")
    func tests() async throws {
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let filter = HookFilter(action: try HookPattern("up"))
            let runner = bench.runner([.make("a", run: shell("echo $CLEAT_ACTION; exit 4"), filter: filter)])
            let dry = try await runner.test("a", event: .make(action: "up"))
            #expect(dry.matches && dry.refused == nil && dry.environment["CLEAT_ACTION"] == "up")
            #expect(dry.clauses == [.init(name: "action", pattern: "up", value: "up", matches: true)])
            #expect(dry.command.first == "/bin/sh" && bench.notices.runs.isEmpty)
            #expect(try await !runner.test("a", event: .make(action: "down")).matches)
            let up = try await runner.run("a", event: .make(action: "up"), isForced: false)
            #expect(up.matches && up.run?.output == "up\n" && up.run?.code == 4)
            let down = try await runner.run("a", event: .make(action: "down"), isForced: false)
            #expect(!down.matches && down.run == nil)
            let forced = try await runner.run("a", event: .make(action: "down"), isForced: true)
            #expect(!forced.matches && forced.run?.output == "down\n")
            #expect(await runner.hooks.first?.runs == 0)
            let error = await #expect(throws: HookTestError.self) { try await runner.test("b", event: .make()) }
            #expect(error?.code == .unknownHook)
        }
    }

    @Test("runs hooks concurrently, up to the limit")
    func concurrency() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.appending("log")
        try await withLoop { loop in
            let bench = Bench(loop: loop)
            let runner = bench.runner([.make("a", run: shell("echo $$ >> \"$1\"; sleep 1000", file)), .make("b")]) {
                $0.concurrency = 3
            }
            for number in 0..<20 { await runner.handle(.make("eth\(number)")) }
            // The stuck hook has two of the three slots; the other hook goes on in the third.
            try await bench.expectRuns(20)
            #expect(bench.notices.runs.allSatisfy { $0.code == 0 })
            #expect(await runner.running == 2)
            #expect(try await loop.eventually { try directory.read("log").split(separator: "\n").count == 2 })
            await runner.shutdown()
            #expect(try directory.read("log").split(separator: "\n").count == 2)
        }
    }

    @Test("makes a source wait until half of the queue has run, or nothing runs any more")
    func room() async throws {
        let directory = try TemporaryDirectory()
        let release = directory.appending("release")
        try await withLoop { loop in
            // A reader gets one byte for each write, and then stops waiting.
            let made = try await loop.run(
                ChildCommand("/bin/sh", ["-c", "exec /usr/bin/env mkfifo \"$1\"", "sh", release]))
            try #require(made.isSuccess, "\(made.outputText)")
            let bench = Bench(loop: loop)
            let runner = bench.runner([.make("a", run: shell("read -r line <\"$1\"", release))]) {
                $0.concurrency = 1
                $0.entries = 8
            }
            await runner.waitForSpace()
            for number in 0..<6 { await runner.handle(.make("eth\(number)")) }
            // One runs, five wait: one too many.
            let waited = Mutex(false)
            let waiting = loop.task {
                await runner.waitForSpace()
                waited.withLock { $0 = true }
            }
            for _ in 0..<100 { await loop.yield() }
            #expect(!waited.withLock { $0 })
            let freed = try await loop.run(ChildCommand("/bin/sh", ["-c", "echo go >\"$1\"", "sh", release]))
            try #require(freed.isSuccess)
            await waiting.value
            #expect(bench.notices.runs.count >= 1)

            for number in 6..<20 { await runner.handle(.make("eth\(number)")) }
            let ended = loop.task { await runner.waitForSpace() }
            await runner.shutdown()
            await ended.value
        }
    }

    @Test("has as many threads after many runs as before, and has run them all")
    func threads() async throws {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                try await withLoop { loop in
                    let bench = Bench(loop: loop)
                    let runner = bench.runner([.make()])
                    await runner.handle(.make("first"))
                    try await bench.expectRuns(1)
                    let before = try #require(Files.threads)
                    let count = TestMachine.rounds(1000, briefly: 300)
                    for number in 0..<count { await runner.handle(.make("s\(number)")) }
                    let notices = bench.notices
                    try #require(
                        try await loop.eventually(within: .seconds(300).onThisMachine) {
                            notices.runs.count == count + 1
                        })
                    // The pool that the test itself runs on may grow meanwhile, by a thread for each processor at most; a
                    // thread for each run, or for some of them, would be many more. That the service has not one more is
                    // tested on the program itself.
                    let after = try #require(Files.threads)
                    try #require(after < before + 32)
                    try #require(notices.runs.allSatisfy { $0.status == .exited && $0.code == 0 })
                    let counts = await runner.counters(of: "hook")
                    try #require(counts.runs == count + 1 && counts.dropped == 0 && counts.suppressed == 0)
                }
            }
        }
    }
}
